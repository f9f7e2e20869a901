import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MODULES = fileURLToPath(new URL('hosts', import.meta.url))
/** `tool PATH`, or the lines of `tool ( … )`. */
const TOOLS = /^tool\s+(?:\(([^)]*)\)|(\S+))/gm

/** A Go module that provides programs: a folder of tools/hosts, whatever its name. */
export interface HostModule {
  readonly name: string
  readonly folder: string
  /** The comment at the head of its go.mod: what it is, and how long it takes to build. */
  readonly about: string
  /** The only program of a module is named like its folder, several by the last part of their paths. */
  readonly programs: readonly { readonly name: string; readonly path: string }[]
}

/** Every module of tools/hosts by name; read from its go.mod, so that it can be asked for without Go. */
export function hostModules(): HostModule[] {
  const folders = readdirSync(MODULES, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return folders.map(({ name }) => moduleIn(join(MODULES, name), name)).sort((a, b) => (a.name < b.name ? -1 : 1))
}

function moduleIn(folder: string, name: string): HostModule {
  const text = readFileSync(join(folder, 'go.mod'), 'utf8')
  const [head = ''] = /^(?:\/\/.*\n)*/.exec(text) ?? []
  const paths = [...text.matchAll(TOOLS)].flatMap(([, block, one]) => (block ?? one ?? '').trim().split(/\s+/))
  const programs = paths.map((path) => ({ path, name: paths.length === 1 ? name : basename(path) }))
  return {
    name,
    folder,
    about: head
      .replaceAll(/^\/\/ ?/gm, '')
      .trim()
      .replaceAll('\n', ' '),
    programs,
  }
}
