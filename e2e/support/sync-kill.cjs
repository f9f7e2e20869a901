/**
 * Loaded before nodefit sync: counts what it does to the world outside and kills it before one of these is done: the KILL_ATth, or the first of
 * the name KILL_AT. They are each command of git before it is started, when it first says something (it is killed with it then) and after it has
 * ended; each change of a file, half of it written; each request to the API server, before it and at its answer. Each is written to the file
 * KILL_LOG by name.
 */
const fs = require('node:fs')
const http = require('node:http')
const programs = require('node:child_process')

const { KILL_AT, KILL_LOG } = process.env
const note = fs.appendFileSync
let steps = 0

function step(name, dying = () => {}) {
  note(KILL_LOG, `${name}\n`)
  steps++
  if (KILL_AT !== name && KILL_AT !== String(steps)) return
  dying()
  process.kill(process.pid, 'SIGKILL')
}

const { spawn } = programs
programs.spawn = (program, args, options) => {
  const name = `${program} ${args[0]}`
  step(`before ${name}`)
  const child = spawn(program, args, options)
  let hasSpoken = false
  const speaks = () => {
    if (hasSpoken) return
    hasSpoken = true
    step(`while ${name} runs`, () => child.kill('SIGKILL'))
  }
  for (const stream of [child.stdout, child.stderr]) stream.once('data', speaks)
  child.once('close', () => step(`after ${name}`))
  return child
}

const { mkdir, mkdtemp, rm, writeFile } = fs.promises
for (const [name, original] of Object.entries({ mkdir, mkdtemp, rm }))
  fs.promises[name] = (...args) => {
    step(`before ${name}`)
    return original(...args)
  }
fs.promises.writeFile = (file, text, options) => {
  step('before writeFile', () => fs.writeFileSync(file, text.slice(0, text.length / 2), options))
  return writeFile(file, text, options)
}

const { request } = http
http.request = (...args) => {
  const [{ method, path }] = args
  step(`before ${method} ${path}`)
  return request(...args).once('response', () => step(`at the answer to ${method} ${path}`))
}
