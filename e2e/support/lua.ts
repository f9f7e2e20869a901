import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inFolder, run } from './hosts.ts'

/** What a health check of Argo CD says of an object. */
export interface Health {
  readonly status: string
  readonly message: string
}

/** Runs a health check on objects as Argo CD does: each is `obj`, and what the script returns is its health. */
export function healthOf(script: string, objects: readonly object[]): Health[] {
  return inFolder((folder) => {
    const file = join(folder, 'run.lua')
    const lines = objects.map((object) => {
      return `obj = ${literal(object)}\nlocal health = assert(loadfile(${literal(script)}))()\nprint(health.status .. "\\t" .. health.message)`
    })
    writeFileSync(file, lines.map((line) => `do\n${line}\nend\n`).join(''))
    const { status, stdout, stderr } = run('glua', [file])
    if (status !== 0) throw new Error(stderr)
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'))
      .map(([said = '', message = '']) => ({ status: said, message }))
  })
}

/** A JSON value as Lua writes it. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'nil'
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `{ ${value.map(literal).join(', ')} }`
  return `{ ${Object.entries(value)
    .map(([key, member]) => `[${JSON.stringify(key)}] = ${literal(member)}`)
    .join(', ')} }`
}
