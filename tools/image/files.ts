import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { linkedWith } from './elf.ts'

/** A system laid out in a folder, of this platform or another: nothing of it is run. */
export interface System {
  readonly folder: string
  /** As Debian names its folders of libraries, such as x86_64-linux-gnu. */
  readonly triplet: string
}

/** A file of a system: where it is without links in its folders, and where a link leads. */
export interface Found {
  readonly path: string
  readonly link: string | undefined
}

/**
 * Everything that programs of a system need to start: they themselves, what they are linked with, and the links on the
 * way. Throws where one is missing. Paths are absolute within the system, in order.
 */
export function closure(system: System, programs: readonly string[]): Found[] {
  const found = new Map<string, Found>()
  const open = [...programs]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const file = located(system, path)
    if (found.has(file.path)) continue
    found.set(file.path, file)
    if (file.link !== undefined) open.push(resolve(dirname(file.path), file.link))
    else open.push(...needed(system, file.path))
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

function needed(system: System, path: string): string[] {
  const linked = linkedWith(readFileSync(join(system.folder, path)))
  if (linked === undefined) return []
  const libraries = linked.libraries.map((name) => library(system, name, path))
  return linked.interpreter === undefined ? libraries : [linked.interpreter, ...libraries]
}

/** Where the loader of Debian looks for a library by itself. */
function library(system: System, name: string, of: string): string {
  const folders = [`/lib/${system.triplet}`, `/usr/lib/${system.triplet}`, '/lib', '/usr/lib', '/lib64']
  const path = folders.map((folder) => join(folder, name)).find((one) => exists(system, one))
  if (path === undefined) throw new Error(`${of} needs ${name}, which is not there`)
  return path
}

function exists(system: System, path: string): boolean {
  try {
    located(system, path)
    return true
  } catch {
    return false
  }
}

/** The file itself, or the link that it is: links among its folders, such as /lib, are followed within the system. */
export function located(system: System, path: string): Found {
  const parts = path.split('/').filter((part) => part !== '')
  let at = '/'
  for (const [index, part] of parts.entries()) {
    const next = join(at, part)
    const status = lstatSync(join(system.folder, next))
    if (!status.isSymbolicLink()) {
      at = next
      continue
    }
    const target = readlinkSync(join(system.folder, next))
    if (index === parts.length - 1) return { path: next, link: target }
    at = located(system, resolve(at, target)).path
  }
  return { path: at, link: undefined }
}
