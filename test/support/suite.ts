import { suite as uvuSuite } from 'uvu'

type Test = (name: string, body: () => void | Promise<void>) => void

let titles: string[] | undefined

/** From here on suites are not run: the list that is returned gets the titles of their tests. */
export function collectTitles(): readonly string[] {
  titles = []
  return titles
}

/** A suite whose tests are declared in one block and run at its end, so that none is forgotten. */
export function suite(name: string, declare: (test: Test) => void): void {
  const tests = uvuSuite(name)
  declare((title, body) => (titles === undefined ? tests(title, body) : titles.push(title)))
  if (titles === undefined) tests.run()
}
