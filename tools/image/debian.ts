import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package of Debian as dpkg has it. */
export interface DebianPackage {
  readonly name: string
  readonly version: string
  readonly arch: string
  /** Its paragraph of /var/lib/dpkg/status. */
  readonly paragraph: string
}

const DPKG = 'var/lib/dpkg'

/** The packages of a system that files belong to, by name. A file that dpkg does not know belongs to none. */
export function packagesOf(folder: string, files: readonly string[]): DebianPackage[] {
  const owners = ownersIn(folder)
  const names = new Set(files.flatMap((file) => owners.get(withoutUsr(file)) ?? []))
  return packagesIn(folder)
    .filter(({ name, arch }) => names.has(name) || names.has(`${name}:${arch}`))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** /lib is a link to /usr/lib, and packages name either. */
const withoutUsr = (file: string) => file.replace(/^\/usr(?=\/(?:s?bin|lib\w*)\/)/, '')

function ownersIn(folder: string): Map<string, string> {
  const owners = new Map<string, string>()
  const info = join(folder, DPKG, 'info')
  for (const file of readdirSync(info).filter((name) => name.endsWith('.list')))
    for (const path of readFileSync(join(info, file), 'utf8').split('\n'))
      owners.set(withoutUsr(path), file.replace(/\.list$/, ''))
  return owners
}

function packagesIn(folder: string): DebianPackage[] {
  const status = join(folder, DPKG, 'status')
  const paragraphs = existsSync(status) ? readFileSync(status, 'utf8').split('\n\n') : []
  return paragraphs.flatMap((paragraph) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(paragraph)?.[1] ?? ''
    const name = field('Package')
    if (name === '' || !field('Status').endsWith(' installed')) return []
    return [{ name, version: field('Version'), arch: field('Architecture'), paragraph: paragraph.trim() }]
  })
}
