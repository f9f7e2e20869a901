import { ACT } from './act.ts'
import { BUILD } from './build.ts'
import type { Commands } from './command.ts'
import { completionOf } from './completion.ts'
import { CONVERT } from './convert.ts'
import { DIFF } from './diff.ts'
import { EXPLAIN } from './explain.ts'
import { INIT } from './init.ts'
import { INVENTORY } from './inventory.ts'
import { REPLAY } from './replay.ts'
import { REPORT } from './report.ts'
import { FN } from './run-function.ts'
import { SCAN } from './scan.ts'
import { SIGN } from './sign.ts'
import { SYNC } from './sync.ts'
import { TAKEOVER } from './takeover.ts'
import { TEST } from './test.ts'
import { VERIFY } from './verify.ts'
import { VET } from './vet.ts'

/** Every command by its name. */
export const COMMANDS: Commands = {
  scan: SCAN,
  build: BUILD,
  inventory: INVENTORY,
  init: INIT,
  diff: DIFF,
  vet: VET,
  test: TEST,
  explain: EXPLAIN,
  report: REPORT,
  takeover: TAKEOVER,
  convert: CONVERT,
  sync: SYNC,
  replay: REPLAY,
  sign: SIGN,
  verify: VERIFY,
  act: ACT,
  fn: FN,
  completion: completionOf(() => COMMANDS),
}
