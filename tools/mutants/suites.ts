/** One test that a file declares. */
export interface Test {
  readonly name: string
  readonly body: () => void | Promise<void>
}

let declared: Test[] = []

/** What stands for uvu: it keeps what is declared instead of running it. */
export const uvu = {
  suite(suite: string) {
    const add = (name: string, body: Test['body']): void => {
      declared.push({ name: `${suite}: ${name}`, body })
    }
    return Object.assign(add, { run() {} })
  },
}

/** The tests that a file declares when it is loaded. */
export function testsOf(load: () => unknown): Test[] {
  declared = []
  load()
  return declared
}
