import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../build/bundle.ts'

/** Texts by path below the folder. */
export type Files = Readonly<Record<string, string>>

/** A step of a golden package, as a user has it on disk before it is rendered. */
export interface GoldenPackage {
  /** As `golden/ranges`, and `golden/rollout-paced#2` for the second step. */
  readonly name: string
  readonly files: Files
}

const AREAS = ['golden', 'kubescape', 'reservation', 'pools', 'actions']

interface Step {
  readonly command?: string
  readonly overlay?: string
  readonly remove?: readonly string[]
}

/** The golden packages with all their steps, but for those that kpt alone can render, with flat keys. */
export function goldenPackages(): GoldenPackage[] {
  return AREAS.flatMap((area) => {
    const folder = join(ROOT, 'testdata', area)
    const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'case.json')))
    return names.sort().flatMap((name) => steps(`${area}/${name}`, join(folder, name)))
  })
}

function steps(name: string, folder: string): GoldenPackage[] {
  const { package: source = 'package', steps: all = [{}] } = JSON.parse(
    readFileSync(join(folder, 'case.json'), 'utf8'),
  ) as { package?: string; steps?: readonly Step[] }
  if (all.some(({ command }) => command === 'eval')) return []
  return all.map(({ overlay, remove = [] }, index) => {
    const before = filesBelow(join(folder, index === 0 ? source : `expected-${index}`))
    const over = overlay === undefined ? {} : filesBelow(join(folder, overlay))
    const files = Object.entries({ ...before, ...over }).filter(([path]) => !remove.includes(path))
    return { name: index === 0 ? name : `${name}#${index + 1}`, files: Object.fromEntries(files) }
  })
}

function filesBelow(folder: string): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)).sort()
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}
