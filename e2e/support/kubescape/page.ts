/** The commands of docs/kubescape/node-agent.md, by what each block is for. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../hosts.ts'

/** A text that only this block has. */
const MARKS = {
  try: 'nodefit init try',
  compare: "grep -A 6 'resources:'",
  package: 'helm get values',
  change: 'sh takeover.sh',
  upgrade: 'nodefit init next',
  drift: 'nodefit vet node-agent --live',
  rollback: 'helm rollback',
  component: 'kustomize build operator-off',
  leftover: 'delete daemonset node-agent-m4-large',
  back: 'rollout status daemonset/node-agent',
  backToLoop: '--reset-values --values values.yaml --set nodeAgent.autoscaler.enabled=true',
  explain: 'build --all try',
} as const
export type Role = keyof typeof MARKS

export interface Block {
  readonly role: Role
  readonly text: string
}

export const PAGE = readFileSync(join(ROOT, 'docs/kubescape/node-agent.md'), 'utf8')

/** The page's blocks in its order; throws where one has no role, or two have the same. */
export function blocksOf(page: string): Block[] {
  const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => {
    const [role, ...others] = (Object.keys(MARKS) as Role[]).filter((each) => text.includes(MARKS[each]))
    if (role === undefined || others.length > 0) throw new Error(`a block with ${others.length} other roles:\n${text}`)
    return { role, text }
  })
  const roles = new Set(blocks.map(({ role }) => role))
  if (roles.size !== Object.keys(MARKS).length || roles.size !== blocks.length) throw new Error([...roles].join())
  return blocks
}

const BLOCKS = blocksOf(PAGE)

/** The commands of the page's block of this role. */
export function blockOf(role: Role): string {
  const found = BLOCKS.find((each) => each.role === role)
  if (found === undefined) throw new Error(role)
  return found.text
}
