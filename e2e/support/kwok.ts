import { join } from 'node:path'
import { goModule } from './go-module.ts'
import { freePorts } from './ports.ts'
import { PATH } from './program.ts'
import { answers, type Server, type Servers } from './servers.ts'

const STAGES = [
  'node/fast/node-initialize.yaml',
  'pod/fast/pod-ready.yaml',
  'pod/fast/pod-complete.yaml',
  'pod/fast/pod-delete.yaml',
]

/** Starts kwok, which says of every node that it is ready and of every pod bound to one that it runs. */
export async function startKwok(servers: Servers, kubeconfig: string): Promise<Server> {
  const module = goModule('kwok', 'sigs.k8s.io/kwok')
  const [port] = await freePorts(1)
  const stages = STAGES.map((stage) => `--config=${join(module, 'kustomize/stage', stage)}`)
  const address = `127.0.0.1:${port}`
  const flags = ['--manage-all-nodes=true', '--node-ip=127.0.0.1', `--server-address=${address}`]
  return servers.start('kwok', ['kwok', `--kubeconfig=${kubeconfig}`, ...flags, ...stages], {
    env: { PATH, HOME: process.env.HOME },
    isReady: () => answers(`http://${address}/healthz`),
  })
}
