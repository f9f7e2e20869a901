/** docs/deliver/README.md: each row of what happens when a part breaks has a test, and every difference between hosts is said. */
import { readFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { suite } from './support/suite.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const PAGE = read('docs/deliver/README.md')

/** The test of each row of the table about what breaks: the row, the file, and words of the test. */
const EVIDENCE: ReadonlyArray<readonly [what: string, file: string, title: string]> = [
  [
    'nodefit refuses the package',
    'e2e/kpt/breaks.test.ts',
    'a function that fails: kpt shows its words and changes nothing',
  ],
  [
    'nodefit refuses the package',
    'e2e/kustomize/kustomize.test.ts',
    'kustomize build gives the groups and nothing else',
  ],
  ['nodefit refuses the package', 'e2e/argocd/argocd.test.ts', 'the function fails: nothing changes'],
  ['nodefit refuses the package', 'e2e/flux/flux.test.ts', 'a render that fails leaves the folder as it was'],
  ['the function is not installed, or is killed', 'e2e/kpt/breaks.test.ts', 'kpt fails and changes nothing'],
  ['the function is not installed, or is killed', 'e2e/kpt/breaks.test.ts', 'kustomize fails and prints nothing'],
  ['kpt may not run it', 'e2e/kpt/breaks.test.ts', 'a function that kpt is not allowed to run'],
  [
    'kustomize skips it (`--enable-alpha-plugins` alone, `kubectl kustomize`)',
    'e2e/cluster/deploy-kustomize.test.ts',
    'what comes out of a build that skipped it cannot be applied',
  ],
  [
    '`nodefit build --output-dir` is killed',
    'e2e/node/output-dir.test.ts',
    'a process that is killed leaves a folder whose list is whole',
  ],
  ['the disk is full, or the reader goes away', 'e2e/node/stdio.test.ts', 'a full disk ends it with exit code 1'],
  ['CI does not render, or cannot push', 'e2e/shell/ci.test.ts', 'renders and pushes once'],
  [
    'a file of the committed folder is lost',
    'e2e/flux/flux.test.ts',
    'a folder in which a file is missing is not applied',
  ],
  [
    'a file of the committed folder is lost',
    'e2e/argocd/argocd.test.ts',
    'committed output with a kustomization.yaml is kustomize’s',
  ],
  [
    "a policy's file is lost, commented out or renamed",
    'e2e/node/output-dir.test.ts',
    'a policy that is gone is an error',
  ],
  [
    "a policy's file is lost, commented out or renamed",
    'e2e/node/argocd-command.test.ts',
    'a policy that is lost: refused where the package says how many there are',
  ],
  [
    'the same, where neither is so',
    'e2e/node/argocd-command.test.ts',
    'a policy that is lost: its groups go without a word',
  ],
  ['the inventory has lost its nodes', 'e2e/flux/flux.test.ts', 'a render that fails leaves the folder as it was'],
  ['the inventory is old', 'e2e/argocd/argocd.test.ts', 'a new type of node: the remainder serves it at once'],
  [
    "Argo CD's sidecar is stopped or crashes",
    'e2e/argocd/argocd.test.ts',
    'nothing changes, and when it is back the commit is followed',
  ],
  ["Argo CD's repo server is down", 'e2e/argocd/argocd.test.ts', 'the repo server is down: nothing changes'],
  ['the Application does not name the plugin', 'e2e/argocd/argocd.test.ts', 'why the name must not be left out'],
]

/** What breaks, row by row of the page's table. */
function breaksIn(page: string): string[] {
  const [, section = ''] = page.split(/^##+ When a part breaks$/m)
  const [body = ''] = section.split(/^##+ /m)
  return [...body.matchAll(/^\| (.+) \|$/gm)]
    .map(([, row = '']) => row.split(' | ')[0] ?? '')
    .filter((first) => first !== 'What breaks')
}

suite('the page of hosts', (test) => {
  test('has what breaks, and each row has a test', () => {
    const names = breaksIn(PAGE)
    assert.ok(names.length > 10, String(names.length))
    assert.equal([...new Set(EVIDENCE.map(([what]) => what))].sort(), names.toSorted())
  })
  for (const [what, file, title] of EVIDENCE)
    test(`${what}: ${file}: ${title}`, () => assert.ok(read(file).includes(title), `${file} has no test "${title}"`))
  const differences = JSON.parse(read('e2e/differences.json')) as { what: string }[]
  for (const { what } of differences)
    test(`says that there differs: ${what}`, () => {
      const words = what.startsWith('annotation ') ? `\`${what.slice('annotation '.length)}\`` : `| the ${what} `
      assert.ok(PAGE.includes(words), words)
    })
})
