/** What one test needed without a fault, with its part of loading the file, and which blocks it entered. */
export interface Seen {
  readonly file: string
  readonly index: number
  readonly name: string
  readonly milliseconds: number
  readonly blocks: readonly number[]
}

/** To a worker: run these files without a fault, with marks in the sources. */
export interface Look {
  readonly kind: 'look'
  readonly files: readonly string[]
  /** The number of the first block of each source file. */
  readonly firsts: Readonly<Record<string, number>>
}

/** To a worker: try one fault with these tests, in this order. */
export interface Try {
  readonly kind: 'try'
  readonly path: string
  readonly text: string
  readonly tests: ReadonlyArray<readonly [file: string, index: number]>
  readonly answers: Readonly<Record<string, string>>
}

export interface Looked {
  readonly seen: readonly Seen[]
  /** Tests that fail so: those that ask of a drawn property that it met enough cases. They are not tried. */
  readonly failed: readonly string[]
  /** Blocks that were entered while a file was loaded: what they give is there before the first test. */
  readonly onLoad: readonly number[]
  readonly answers: Readonly<Record<string, string>>
}

/** Which test fails with the fault; none if the fault lives. */
export interface Tried {
  readonly killedBy?: string
}
