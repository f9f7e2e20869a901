/**
 * nodefit scan of 5,000 nodes, 200 DaemonSets and 100,000 pods from a real API server on loopback, beside kubectl that
 * prints the pods. Needs kube-apiserver and etcd (npm run hosts), kubectl and GNU time; takes some minutes. PODS and
 * RUNS make it smaller: PODS=10000 RUNS=1 node --import tsx bench/scan.ts
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ControlPlane } from '../e2e/support/control-plane.ts'
import { interleave, median, type Sample } from './measure.ts'
import { storeCluster } from './scan-cluster.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PODS = Number(process.env.PODS ?? 100_000)
const RUNS = Number(process.env.RUNS ?? 5)
const MOST_RATIO = 3
const MOST_MEGABYTES = 300

const plane = await ControlPlane.start()
try {
  await storeCluster(plane.etcd, { nodes: PODS / 20, daemonSets: 200, pods: PODS })
  const kubeconfig = `--kubeconfig=${join(plane.folder, 'kubeconfig')}`
  const scan = [process.execPath, join(ROOT, 'dist/nodefit.cjs'), 'scan', kubeconfig]
  const samples = interleave(
    [
      { name: 'nodefit scan', command: scan },
      { name: 'kubectl', command: ['kubectl', kubeconfig, 'get', 'pods', '-A', '-o', 'json'] },
    ],
    RUNS,
  )
  const of = (index: number, what: keyof Sample) => median(samples.map((turn) => turn[index]?.[what] ?? Number.NaN))
  const [own, other] = [of(0, 'seconds'), of(1, 'seconds')]
  const [memory, otherMemory] = [of(0, 'megabytes'), of(1, 'megabytes')]
  process.stdout.write(
    `nodefit scan, ${PODS} pods: ${own.toFixed(2)} s, ${memory.toFixed(0)} MB; kubectl get pods -A -o json: ${other.toFixed(2)} s, ${otherMemory.toFixed(0)} MB; ratio ${(own / other).toFixed(2)} (at most ${MOST_RATIO}), memory at most ${MOST_MEGABYTES} MB\n`,
  )
} finally {
  await plane.stop()
}
