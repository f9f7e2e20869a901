/** What a piece of text is; how that looks is for whoever prints it. */
export type Role = 'error' | 'warning' | 'info' | 'heading' | 'less' | 'quiet'

/** Makes a piece of text look like what it is, without a change of its width. */
export type Paint = (role: Role, text: string) => string

/** Text as it is. */
export const plain: Paint = (_role, text) => text
