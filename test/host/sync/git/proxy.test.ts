import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import * as assert from 'uvu/assert'
import { GitFailure } from '../../../../src/host/sync/git/failure.ts'
import { openTunnel, proxyFor } from '../../../../src/host/sync/git/http-json.ts'
import { suite } from '../../../support/suite.ts'

const SECRET = 'http://secret:1'
const ENV = { HTTPS_PROXY: 'http://env:1' }

suite('the proxy on the way', (test) => {
  const rows: Readonly<Record<string, [string, string | undefined, Record<string, string>, string | undefined]>> = {
    'none is named': ['api.github.com', undefined, {}, undefined],
    'the environment names one': ['api.github.com', undefined, ENV, ENV.HTTPS_PROXY],
    'all_proxy names one': ['api.github.com', undefined, { all_proxy: 'http://all:1' }, 'http://all:1'],
    'an empty one is none': ['api.github.com', undefined, { HTTPS_PROXY: '' }, undefined],
    'that of http is for http': ['api.github.com', undefined, { http_proxy: 'http://env:1' }, undefined],
    'that of the Secret comes first': ['api.github.com', SECRET, ENV, SECRET],
    'NO_PROXY has the host': ['ghe.corp', SECRET, { ...ENV, NO_PROXY: 'a, ghe.corp' }, undefined],
    'NO_PROXY has its domain': ['ghe.corp', undefined, { ...ENV, no_proxy: '.corp' }, undefined],
    'NO_PROXY has all': ['ghe.corp', undefined, { ...ENV, NO_PROXY: '*' }, undefined],
    'NO_PROXY has another of like name': ['notghe.corp', undefined, { ...ENV, NO_PROXY: 'ghe.corp' }, ENV.HTTPS_PROXY],
  }
  for (const [name, [host, given, environment, expected]] of Object.entries(rows))
    test(name, () => assert.is(proxyFor({ scheme: 'https', host }, given, environment), expected))
})

/** A proxy that lets in who says the right password. */
async function withProxy(body: (port: number, target: string, heard: (string | undefined)[]) => Promise<void>) {
  const heard: (string | undefined)[] = []
  const target = createTcpServer((socket) => socket.end('hello'))
    .listen(0, '127.0.0.1')
    .unref()
  const proxy = createServer((_, response) => void response.end())
  proxy.on('connect', ({ url = '', headers }, socket) => {
    heard.push(`${url} ${headers['proxy-authorization']}`)
    if (headers['proxy-authorization'] !== `Basic ${Buffer.from('me:p@ss').toString('base64')}`)
      return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    const [host, port] = url.split(':')
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    const onward = connect(Number(port), host)
    onward.on('error', () => socket.destroy()).pipe(socket)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  try {
    await body((proxy.address() as AddressInfo).port, `127.0.0.1:${(target.address() as AddressInfo).port}`, heard)
  } finally {
    proxy.close()
    target.close()
  }
}

suite('a tunnel', (test) => {
  const never = new AbortController().signal
  for (const scheme of ['http://', ''])
    test(`leads to the host that is asked for, by a proxy named with "${scheme}"`, () =>
      withProxy(async (port, target) => {
        const socket = await openTunnel(`${scheme}me:p%40ss@127.0.0.1:${port}`, target, never)
        const text = await new Promise((resolve) => socket.once('data', (chunk) => resolve(String(chunk))))
        assert.is(text, 'hello')
        socket.destroy()
      }))
  const bad: Readonly<Record<string, (port: number) => string>> = {
    'a proxy that refuses': (port) => `http://127.0.0.1:${port}`,
    'a proxy of another kind': () => 'socks5://127.0.0.1:1',
    'what is no address': () => 'http://:::',
  }
  for (const [name, proxy] of Object.entries(bad))
    test(`${name}: is a failure that says so`, () =>
      withProxy(async (port, target) => {
        const failed = await Promise.resolve()
          .then(() => openTunnel(proxy(port), target, never))
          .then(
            () => undefined,
            (error) => error,
          )
        assert.instance(failed, GitFailure)
        assert.match(failed.message, /prox/)
      }))
})
