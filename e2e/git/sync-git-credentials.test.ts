/** Fetching and pushing by HTTP and HTTPS, with credentials as Flux and Argo CD keep them. */

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import * as assert from 'uvu/assert'
import { GitFailure } from '../../src/host/sync/git/failure.ts'
import { openRepository } from '../../src/host/sync/git/git-repository.ts'
import { authoritiesWith, postJson } from '../../src/host/sync/git/http-json.ts'
import type { PushResult, RepositoryOptions } from '../../src/host/sync/git/repository.ts'
import { Secrets } from '../../src/host/sync/secrets.ts'
import { engineContext } from '../../test/support/engine-context.ts'
import { suite } from '../../test/support/suite.ts'
import { BareRemote } from '../support/bare-remote.ts'
import { type GitHttp, serveGit } from '../support/git-http.ts'
import { commitOf, gitOptions, recordedLog, secretFolder } from '../support/git-options.ts'
import { type Sight, watchProcesses } from '../support/processes.ts'
import { has } from '../support/program.ts'

const FILE = 'clusters/prod/nodes/inventory.yaml'
const TOKEN = 'glpat-a%2F+secret/token='
const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

type Secret = Readonly<Record<string, string>>
const BOTH: readonly Secret[] = [{ username: 'me', password: TOKEN }, { bearerToken: TOKEN }]

async function served(tls?: Parameters<typeof serveGit>[1]): Promise<{ remote: BareRemote; http: GitHttp }> {
  const remote = new BareRemote(mkdtempSync(join(tmpdir(), 'nodefit-remote-')))
  remote.commit({ 'README.md': 'hello\n' })
  return { remote, http: await serveGit(remote, tls) }
}

async function pushed(
  url: string,
  secret: Secret | undefined,
  more: Partial<RepositoryOptions> = {},
): Promise<PushResult> {
  const credentials = secret === undefined ? undefined : secretFolder(secret)
  const repository = await openRepository(gitOptions(url, { credentials, ...more }))
  try {
    return await repository.push(await repository.fetch(), commitOf({ [FILE]: 'new\n' }))
  } catch (error) {
    if (error instanceof GitFailure) return error.toRejected()
    throw error
  }
}

const reasonOf = (result: PushResult) => (result.kind === 'pushed' ? 'pushed' : result.reason)

suite('credentials over HTTP', (test) => {
  const good: Readonly<Record<string, { secret: Secret; header: string }>> = {
    'a user and a token, as Flux keeps them': {
      secret: { username: 'me', password: TOKEN },
      header: basic('me', TOKEN),
    },
    'a user and a token, as Argo CD keeps them': {
      secret: { type: 'git', project: 'x', username: 'me', password: `${TOKEN}\n` },
      header: basic('me', TOKEN),
    },
    'a token alone': { secret: { password: TOKEN }, header: basic('git', TOKEN) },
    'a bearer token': { secret: { bearerToken: TOKEN }, header: `Bearer ${TOKEN}` },
    'a password with every character': {
      secret: { username: "o'hara", password: 'a"b\\c$d`e\'f =g:h#ä' },
      header: basic("o'hara", 'a"b\\c$d`e\'f =g:h#ä'),
    },
  }
  for (const [name, { secret, header }] of Object.entries(good))
    test(`${name}: is let in`, async () => {
      const { remote, http } = await served()
      http.isAllowed = (authorization) => authorization === header
      assert.is(reasonOf(await pushed(http.url, secret)), 'pushed')
      assert.equal(Object.keys(remote.files()), ['README.md', FILE])
      await http.stop()
    })
  const bad: Readonly<Record<string, { secret: Secret | undefined; reason: string }>> = {
    'a token that has expired': { secret: { username: 'me', password: 'expired' }, reason: 'authentication' },
    'a bearer token that has expired': { secret: { bearerToken: 'expired' }, reason: 'authentication' },
    'no credentials': { secret: undefined, reason: 'authentication' },
    'an empty Secret': { secret: {}, reason: 'authentication' },
    'a password of several lines': {
      secret: { username: 'me', password: `${TOKEN}\nhost=evil.example.com` },
      reason: 'credentials',
    },
    'half an App': { secret: { githubAppID: '1' }, reason: 'credentials' },
    'credentials for another host': {
      secret: { url: 'https://github.com/a/b', username: 'me', password: TOKEN },
      reason: 'credentials',
    },
  }
  for (const [name, { secret, reason }] of Object.entries(bad))
    test(`${name}: is refused`, async () => {
      const { remote, http } = await served()
      const before = remote.head()
      http.isAllowed = (authorization) => authorization === basic('me', TOKEN)
      const result = await pushed(http.url, secret)
      assert.is(reasonOf(result), reason, JSON.stringify(result))
      assert.is(result.kind, 'refused')
      assert.not.ok(JSON.stringify(result).includes(TOKEN))
      assert.is(remote.head(), before)
      await http.stop()
    })
  test('a token that expires between fetch and push is refused, and a new one in the Secret is taken at the next try', async () => {
    const { remote, http } = await served()
    let valid = 'first'
    http.isAllowed = (authorization) => authorization === basic('me', valid)
    const credentials = secretFolder({ username: 'me', password: 'first' })
    const repository = await openRepository(gitOptions(http.url, { credentials }))
    const checkout = await repository.fetch()
    valid = 'second'
    assert.is(reasonOf(await repository.push(checkout, commitOf({ [FILE]: 'new\n' }))), 'authentication')
    execFileSync('sh', ['-c', `printf second > "$1"/password`, 'sh', credentials])
    assert.is(reasonOf(await repository.push(checkout, commitOf({ [FILE]: 'new\n' }))), 'pushed')
    assert.equal(Object.keys(remote.files()), ['README.md', FILE])
    await http.stop()
  })
  test('a password in the URL works, and is seen nowhere', async () => {
    const { http } = await served()
    const { log, lines } = recordedLog()
    http.isAllowed = (authorization) => authorization === basic('me', 'in-the-url')
    const sight = watchProcesses(['in-the-url'])
    const result = await pushed(http.url.replace('//', '//me:in-the-url@'), undefined, {
      context: engineContext({ log }),
    })
    sight.stop()
    assert.is(result.kind, 'pushed')
    assert.equal([...sight.seen], [])
    assert.not.match(JSON.stringify([result, lines]), 'in-the-url')
    await http.stop()
  })
  for (const secret of BOTH)
    test(`a ${'bearerToken' in secret ? 'bearer token' : 'password'} is not told to where a server leads`, async () => {
      const heard: (string | undefined)[] = []
      const thief = createServer((request, response) => {
        heard.push(request.headers.authorization)
        // a server as any other, until it is asked for objects
        if (request.method === 'POST')
          return void response.writeHead(401, { 'www-authenticate': 'Basic realm="thief"' }).end()
        const type = 'application/x-git-upload-pack-advertisement'
        response
          .writeHead(200, { 'content-type': type })
          .end('001e# service=git-upload-pack\n0000000eversion 2\n000cls-refs\n0000')
      }).unref()
      await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve))
      const { http } = await served()
      const location = `http://127.0.0.1:${(thief.address() as AddressInfo).port}/clusters.git/info/refs?service=git-upload-pack`
      http.fault = () => ({ status: 302, headers: { location } })
      assert.is.not((await pushed(http.url, secret)).kind, 'pushed')
      assert.equal(
        heard.filter((one) => one !== undefined),
        [],
      )
      thief.close()
      await http.stop()
    })
  for (const secret of BOTH)
    test(`a ${'bearerToken' in secret ? 'bearer token' : 'password'} is not seen in arguments, environments, logs and errors, and nothing of it stays`, async () => {
      const forms = [
        TOKEN,
        encodeURIComponent(TOKEN),
        Buffer.from(TOKEN).toString('base64'),
        basic('me', TOKEN).slice(6),
      ]
      const { remote, http } = await served()
      const { log, lines } = recordedLog()
      const folder = mkdtempSync(join(tmpdir(), 'nodefit-clone-'))
      let sight: Sight | undefined
      let inClone = false
      http.isAllowed = (authorization) => {
        // the program that asks waits for the answer now
        sight?.look()
        if (spawnSync('grep', ['-rqF', '-e', TOKEN, folder]).status !== 1) inClone = true
        return authorization !== undefined
      }
      const spread = forms.map((form) => `you sent ${form}`)
      remote.hook(
        'pre-receive',
        `cat >&2 <<'END'\n${spread.join('\n')}\nat http://me:${TOKEN}@127.0.0.1/x\nEND\nexit 1`,
      )
      sight = watchProcesses(forms)
      const secrets = new Secrets()
      const result = await pushed(http.url, secret, { folder, context: engineContext({ log, secrets }) })
      sight.stop()
      assert.equal([...sight.seen], [])
      assert.ok(
        sight.programs.has('git') && [...sight.programs].some((name) => name.startsWith('git-remote-http')),
        [...sight.programs].join(' '),
      )
      assert.is(reasonOf(result), 'hook')
      const said = JSON.stringify([result, lines])
      assert.match(said, 'you sent ***')
      for (const form of forms) assert.not.ok(said.includes(form), form)
      assert.equal(readdirSync(folder).sort(), ['files', 'git'])
      // grep ends with 1 where it finds nothing
      assert.not.ok(inClone, 'the secret was beside the clone')
      assert.is(spawnSync('grep', ['-rqF', '-e', TOKEN, folder]).status, 1)
      await http.stop()
    })
})

if (has('openssl'))
  suite('HTTPS', (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'nodefit-tls-'))
    const at = (name: string) => join(folder, name)
    const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
    const signed = (name: string, subject: string, extra: string) => {
      openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', subject)
      execFileSync('sh', ['-c', `printf '%s' "$1" > ext`, 'sh', extra], { cwd: folder })
      openssl(
        'x509',
        '-req',
        '-in',
        `${name}.csr`,
        '-CA',
        'ca.crt',
        '-CAkey',
        'ca.key',
        '-CAcreateserial',
        '-days',
        '2',
        '-out',
        `${name}.crt`,
        '-extfile',
        'ext',
      )
    }
    const text = (name: string) => readFileSync(at(name), 'utf8')
    test('certificates are made', () => {
      openssl(
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        'ca.key',
        '-out',
        'ca.crt',
        '-days',
        '2',
        '-subj',
        '/CN=test',
      )
      signed('server', '/CN=127.0.0.1', 'subjectAltName=IP:127.0.0.1')
      signed('client', '/CN=nodefit', 'extendedKeyUsage=clientAuth')
    })
    test('a server is believed by the authority of the Secret, and not without', async () => {
      const { http } = await served({ key: text('server.key'), cert: text('server.crt') })
      for (const name of ['ca.crt', 'caFile'])
        assert.is(reasonOf(await pushed(http.url, { [name]: text('ca.crt') })), 'pushed')
      const refused = await pushed(http.url, {})
      assert.is(reasonOf(refused), 'certificate')
      assert.is(refused.kind, 'refused')
      await http.stop()
    })
    test("GitHub's interface is reached through the proxy of the Secret, and believed by its authority beside all others", async () => {
      const { http } = await served({ key: text('server.key'), cert: text('server.crt') })
      http.fault = () => ({ status: 200, body: '{"is":"there"}' })
      const asked: (string | undefined)[] = []
      const proxy = createServer().unref()
      proxy.on('connect', ({ url }, socket) => {
        asked.push(url)
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        const onward = connect(http.port, '127.0.0.1')
        socket.on('error', () => onward.destroy()).pipe(onward)
        onward.on('error', () => socket.destroy()).pipe(socket)
      })
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
      const options = { context: engineContext(), timeout: 20_000 }
      const by = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
      const url = `https://127.0.0.1:${http.port}/api?service=git-upload-pack`
      const answer = await postJson(url, 'Bearer x', {}, { ...options, proxy: by, authority: text('ca.crt') })
      assert.equal(answer, { is: 'there' })
      assert.equal(asked, [`127.0.0.1:${http.port}`])
      assert.ok(rootCertificates.every((one) => authoritiesWith('own').includes(one)))
      assert.ok(authoritiesWith('own').includes('own'))
      proxy.close()
      await http.stop()
    })
    test('a client shows the certificate of the Secret, as Flux and as Argo CD keep it', async () => {
      const { http } = await served({
        key: text('server.key'),
        cert: text('server.crt'),
        ca: text('ca.crt'),
        requestCert: true,
        rejectUnauthorized: true,
      })
      const names = [
        ['tls.crt', 'tls.key'],
        ['tlsClientCertData', 'tlsClientCertKey'],
      ] as const
      for (const [certificate, key] of names)
        assert.is(
          reasonOf(
            await pushed(http.url, {
              'ca.crt': text('ca.crt'),
              [certificate]: text('client.crt'),
              [key]: text('client.key'),
            }),
          ),
          'pushed',
        )
      assert.is.not((await pushed(http.url, { 'ca.crt': text('ca.crt') })).kind, 'pushed')
      await http.stop()
    })
  })
