import { suite as uvuSuite } from 'uvu'

type Test = (name: string, body: () => void | Promise<void>) => void

/** A suite whose tests are declared in one block and run at its end, so that none is forgotten. */
export function suite(name: string, declare: (test: Test) => void): void {
  const tests = uvuSuite(name)
  declare((title, body) => tests(title, body))
  tests.run()
}
