/** A package of Orders whose 15,000 Tickets kpt hands back to the function. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inventoryFile } from './inputs.ts'

const GOLDEN = fileURLToPath(new URL('../testdata/reservation/', import.meta.url))

export interface TicketsTwice {
  /** The command that evaluates the package, without the name of the function. */
  readonly evaluate: readonly string[]
  readonly env: { readonly PATH: string }
  /** What kpt hands to the function in its first run, and with the Tickets of that in its second. */
  readonly inputs: readonly string[]
}

/** Three Orders on 5,000 nodes below `folder`, evaluated twice by kpt with the function at `fn`. */
export function ticketsTwice(folder: string, fn: string): TicketsTwice {
  const source = join(folder, 'tickets')
  const bin = join(folder, 'bin-tickets')
  for (const each of [source, bin]) mkdirSync(each)
  const golden = (file: string) => readFileSync(join(GOLDEN, file), 'utf8')
  const orders = ['system-overhead', 'gpu-nodes', 'scheduled-maintenance'].map((name) =>
    golden(`${name}/package/order.yaml`),
  )
  writeFileSync(join(source, 'Kptfile'), golden('gpu-nodes/package/Kptfile'))
  writeFileSync(join(source, 'orders.yaml'), orders.join('---\n'))
  writeFileSync(join(source, 'inventory.yaml'), inventoryFile(5000, '2026-11-20T13:07:00Z'))
  symlinkSync(fn, join(bin, 'nodefit-fn'))
  const env = { PATH: `${bin}:${process.env.PATH}` }
  const inputs = ['first', 'second'].map((run) => {
    const input = join(folder, `tickets-${run}.yaml`)
    writeFileSync(join(bin, run), `#!/bin/sh\ntee ${input} | nodefit-fn\n`, { mode: 0o755 })
    execFileSync('kpt', ['fn', 'eval', source, '--exec', run], { env: { ...process.env, ...env }, stdio: 'ignore' })
    return input
  })
  return { evaluate: ['kpt', 'fn', 'eval', source, '--exec'], env, inputs }
}
