/** Loaded before nodefit sync: its clock goes CLOCK_TIMES times as fast as that of the machine, its waiting too. */
const timers = require('node:timers/promises')

const times = Number(process.env.CLOCK_TIMES)
const RealDate = Date
const began = RealDate.now()
const now = () => Math.round(began + (RealDate.now() - began) * times)

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
