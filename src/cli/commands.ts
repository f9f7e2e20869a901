import { BUILD } from './build.ts'
import type { Commands } from './command.ts'
import { completionOf } from './completion.ts'
import { INIT } from './init.ts'
import { INVENTORY } from './inventory.ts'

/** Every command by its name. */
export const COMMANDS: Commands = {
  build: BUILD,
  inventory: INVENTORY,
  init: INIT,
  completion: completionOf(() => COMMANDS),
}
