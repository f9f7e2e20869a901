/**
 * Writes the fleets and the agents into a folder, to try nodefit by hand: `node --import tsx e2e/first-hour/write.ts DIR`, then
 * `nodefit init DIR/package --nodes DIR/gke.json --daemonset DIR/filebeat.yaml`.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { AGENTS, agentDaemonSet } from './agents.ts'
import { FLEETS, nodeList } from './fleets.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: write DIR')
mkdirSync(folder, { recursive: true })
for (const fleet of FLEETS) writeFileSync(join(folder, `${fleet}.json`), nodeList(fleet))
for (const agent of AGENTS) writeFileSync(join(folder, `${agent}.yaml`), stringify(agentDaemonSet(agent)))
