/**
 * Loaded before nodefit sync: its clock goes CLOCK_TIMES times as fast as that of the machine, its waiting too. It begins at CLOCK_START, else
 * at the time that it is.
 */
const timers = require('node:timers/promises')

const times = Number(process.env.CLOCK_TIMES)
const RealDate = Date
const began = RealDate.now()
const start = process.env.CLOCK_START === undefined ? began : RealDate.parse(process.env.CLOCK_START)
const now = () => Math.round(start + (RealDate.now() - began) * times)

globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [now()] : args))
  }
  static now() {
    return now()
  }
}

const { setTimeout } = timers
timers.setTimeout = (milliseconds, ...rest) => setTimeout(milliseconds / times, ...rest)
