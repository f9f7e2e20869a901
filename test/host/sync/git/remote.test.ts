import * as assert from 'uvu/assert'
import { GitFailure } from '../../../../src/host/sync/git/failure.ts'
import { commitUrl, compareUrl, parseRemote, urlInOutput } from '../../../../src/host/sync/git/remote.ts'
import { suite } from '../../../support/suite.ts'

const ADDRESSES: Readonly<Record<string, { url: string; address: string; host: string; path: string }>> = {
  https: { url: 'https://github.com/a/b.git', address: 'https://github.com/a/b.git', host: 'github.com', path: 'a/b' },
  'https without .git': {
    url: 'https://github.com/a/b/',
    address: 'https://github.com/a/b/',
    host: 'github.com',
    path: 'a/b',
  },
  'a port': { url: 'http://h:3000/a/b.git', address: 'http://h:3000/a/b.git', host: 'h', path: 'a/b' },
  'user and password': { url: 'https://me:pass@h/a.git', address: 'https://h/a.git', host: 'h', path: 'a' },
  'user@host:path': {
    url: 'git@github.com:a/b.git',
    address: 'ssh://git@github.com/a/b.git',
    host: 'github.com',
    path: 'a/b',
  },
  'user@host:/path': { url: 'git@h:/srv/a.git', address: 'ssh://git@h/srv/a.git', host: 'h', path: 'srv/a' },
  ssh: { url: 'ssh://git@h:2222/a/b.git', address: 'ssh://git@h:2222/a/b.git', host: 'h', path: 'a/b' },
  'ssh with a password': { url: 'ssh://git:pass@h/a.git', address: 'ssh://git@h/a.git', host: 'h', path: 'a' },
  file: { url: 'file:///srv/a.git', address: 'file:///srv/a.git', host: '', path: 'srv/a' },
}
const WRONG = [
  '',
  '/srv/a.git',
  'ext::sh -c id',
  'git://h/a',
  'https://',
  '-oProxyCommand=id',
  'ssh://-oProxyCommand=id/x',
  '-x@h:a',
  'https://h/a b',
  'https://h/a\nb',
  'file://host/a',
  '--upload-pack=id',
]

const at = (url: string) => parseRemote(url)
const COMPARE: Readonly<
  Record<string, readonly [url: string, commit: string | undefined, compare: string | undefined]>
> = {
  GitHub: [
    'git@github.com:a/b.git',
    'https://github.com/a/b/commit/c1',
    'https://github.com/a/b/compare/main...x%2Fy-1?expand=1',
  ],
  'GitHub Enterprise': [
    'https://github.example.com/a/b',
    'https://github.example.com/a/b/commit/c1',
    'https://github.example.com/a/b/compare/main...x%2Fy-1?expand=1',
  ],
  GitLab: [
    'ssh://git@gitlab.example.com:2222/g/s/b.git',
    'https://gitlab.example.com/g/s/b/-/commit/c1',
    'https://gitlab.example.com/g/s/b/-/merge_requests/new?merge_request%5Bsource_branch%5D=x%2Fy-1&merge_request%5Btarget_branch%5D=main',
  ],
  Gitea: [
    'http://gitea.svc:3000/a/b.git',
    'http://gitea.svc:3000/a/b/commit/c1',
    'http://gitea.svc:3000/a/b/compare/main...x%2Fy-1',
  ],
  Codeberg: [
    'https://codeberg.org/a/b',
    'https://codeberg.org/a/b/commit/c1',
    'https://codeberg.org/a/b/compare/main...x%2Fy-1',
  ],
  Bitbucket: [
    'git@bitbucket.org:a/b.git',
    'https://bitbucket.org/a/b/commits/c1',
    'https://bitbucket.org/a/b/pull-requests/new?source=x%2Fy-1&dest=main',
  ],
  'Azure DevOps': [
    'https://dev.azure.com/o/p/_git/r',
    'https://dev.azure.com/o/p/_git/r/commit/c1',
    'https://dev.azure.com/o/p/_git/r/pullrequestcreate?sourceRef=x%2Fy-1&targetRef=main',
  ],
  'Azure DevOps by SSH': [
    'git@ssh.dev.azure.com:v3/o/p/r',
    'https://dev.azure.com/o/p/_git/r/commit/c1',
    'https://dev.azure.com/o/p/_git/r/pullrequestcreate?sourceRef=x%2Fy-1&targetRef=main',
  ],
  'a host that says nothing': ['https://git.example.com/a/b', undefined, undefined],
  'a host that only looks like one': ['https://notgithub.com/a/b', undefined, undefined],
}

suite('addresses of remotes', (test) => {
  for (const [name, { url, ...expected }] of Object.entries(ADDRESSES))
    test(name, () => {
      const { address, host, path } = parseRemote(url)
      assert.equal({ address, host, path }, expected)
    })
  test('what stands before the host is taken apart', () => {
    const { username, password } = parseRemote('https://me:p%40ss@h/a.git')
    assert.equal({ username, password }, { username: 'me', password: 'p@ss' })
  })
  for (const url of WRONG)
    test(`"${url.replace('\n', ' ')}" is refused`, () => {
      assert.throws(
        () => parseRemote(url),
        (error: unknown) => error instanceof GitFailure && error.reason === 'configuration',
      )
    })
})

suite('links', (test) => {
  for (const [name, [url, commit, compare]] of Object.entries(COMPARE))
    test(name, () => {
      assert.is(commitUrl(at(url), 'c1'), commit)
      assert.is(compareUrl(at(url), 'main', 'x/y-1'), compare)
    })
  test('else what the server says after the push', () => {
    assert.is(
      urlInOutput(
        'remote: \nremote: Create a new pull request:\nremote:   https://git.example.com/a/b/compare/main...x\n',
      ),
      'https://git.example.com/a/b/compare/main...x',
    )
    assert.is(urlInOutput('To https://git.example.com/a/b'), undefined)
  })
})
