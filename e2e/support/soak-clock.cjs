/**
 * Loaded before nodefit sync: its clock stands still until the parent moves it, so that an hour takes as long as the work of an hour. Time passes
 * only while nothing is under way: no command of git, no work on a file, no request but a watch, no event that was
 * sent and is not taken yet.
 */
const files = require('node:fs/promises')
const http = require('node:http')
const programs = require('node:child_process')
const timers = require('node:timers/promises')

let now = Date.parse('2026-11-20T12:00:00Z')
let sleepers = []
let underWay = 0
let race = ''
let commands = 0
const pushes = []
const watches = new Set()

const RealDate = Date
globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [now] : args))
  }
  static now() {
    return now
  }
}

timers.setTimeout = (milliseconds, value, { signal } = {}) =>
  new Promise((resolve, reject) => {
    const onAbort = () => {
      sleepers = sleepers.filter((one) => one !== sleeper)
      reject(signal.reason)
    }
    const wake = () => {
      signal?.removeEventListener('abort', onAbort)
      resolve(value)
    }
    const sleeper = { due: now + Math.max(milliseconds, 0), wake }
    if (signal?.aborted) return onAbort()
    sleepers.push(sleeper)
    signal?.addEventListener('abort', onAbort, { once: true })
  })

const { spawn } = programs
programs.spawn = (program, args, options) => {
  commands++
  if (args[0] === 'push') pushes.push(now)
  // somebody else pushes at the worst moment
  if (args[0] === 'push' && race !== '') programs.execFileSync('sh', ['-c', race], { stdio: 'ignore' })
  underWay++
  return spawn(program, args, options).once('close', () => underWay--)
}

for (const [name, original] of Object.entries(files))
  if (typeof original === 'function' && name !== 'watch')
    files[name] = (...args) => {
      underWay++
      return original(...args).finally(() => underWay--)
    }

const { request } = http
http.request = (...args) => {
  const asked = request(...args)
  underWay++
  let isOpen = true
  const end = () => {
    if (isOpen) underWay--
    isOpen = false
  }
  asked.once('close', end)
  if (/[?&]watch=true/.test(args[0].path))
    asked.once('response', (response) => {
      end()
      watches.add(response)
      response.once('close', () => watches.delete(response))
    })
  return asked
}

/** Lets everything run that waits for nothing but its turn, or for what is under way. */
async function settled() {
  for (let turns = 0; turns < 20; turns++) {
    await new Promise((resolve) => setImmediate(resolve))
    if (underWay === 0) continue
    turns = 0
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

/** Waits until each watch has taken what was written to it: the bytes by port. */
async function taken(sent) {
  const isBehind = (watch) => {
    const { socket, readableLength } = watch
    return readableLength > 0 || socket === null || (sent[socket.localPort] ?? 0) > socket.bytesRead
  }
  while ([...watches].some(isBehind)) await new Promise((resolve) => setTimeout(resolve, 1))
  await settled()
}

const REQUESTS = {
  async advance({ milliseconds, sent }) {
    await taken(sent)
    const end = now + milliseconds
    for (;;) {
      const next = sleepers.filter(({ due }) => due <= end).sort((a, b) => a.due - b.due)[0]
      if (next === undefined) break
      sleepers = sleepers.filter((one) => one !== next)
      now = Math.max(now, next.due)
      next.wake()
      await settled()
    }
    now = end
    return now
  },
  race({ script }) {
    race = script
  },
  memory() {
    for (let time = 0; time < 3; time++) globalThis.gc?.()
    return process.memoryUsage()
  },
  commands: () => commands,
  pushes: () => pushes,
}

process.on('message', async ({ id, what, ...rest }) => {
  process.send({ id, answer: await REQUESTS[what](rest) })
})
// it ends when it is told to, whoever listens
process.channel?.unref()
