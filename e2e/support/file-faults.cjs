/**
 * Loaded before a program: at its nth change of a name in a folder it is killed, or told that the disk has an error. What it
 * is to do stands in FILE_FAULT, as `kill 3` or `fail 3`; `count 0` writes their number to the file in FILE_COUNT.
 */
const fs = require('node:fs')

const [what, text] = (process.env.FILE_FAULT ?? 'count 0').split(' ')
const at = Number(text)
let calls = 0
for (const name of ['mkdtempSync', 'openSync', 'linkSync', 'renameSync', 'rmSync']) {
  const original = fs[name]
  fs[name] = (...args) => {
    const isOurs = args.some((arg) => typeof arg === 'string' && arg.includes('.nodefit-')) && args[1] !== 'r'
    if (isOurs && ++calls === at && what === 'kill') process.kill(process.pid, 'SIGKILL')
    if (isOurs && calls === at && what === 'fail') throw Object.assign(new Error(`EIO: i/o error, ${name}`), { code: 'EIO' })
    return original(...args)
  }
}
process.on('exit', () => {
  if (what === 'count') fs.writeFileSync(process.env.FILE_COUNT, String(calls))
})
