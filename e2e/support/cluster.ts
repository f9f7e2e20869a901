import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ControlPlane, type Service } from './control-plane.ts'
import { type Run, run } from './hosts.ts'
import { SHARED } from './shared.ts'

/** The programs of a control plane without kubelets: objects are stored and DaemonSets get their pods, which never run. */
export const CONTROL_PLANE = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'] as const

export interface Cluster {
  /** For what a test writes, with the kubeconfig; gone when the cluster is stopped. */
  readonly folder: string
  /** What the control plane itself writes. */
  readonly base: string
  readonly kubectl: (args: readonly string[], input?: string) => Run
  /** The API server, which a test may kill and start again. */
  readonly apiServer: Service
  /** The address of etcd, for what no API server does. */
  readonly etcd: string
  /** Has what is in it now stay when the cluster is stopped for another file. */
  readonly keep: () => Promise<void>
  /** Ends every process that was started, or where files share a control plane leaves it as the next one expects it. */
  readonly stop: () => Promise<void>
}

/** The same with a scheduler, which binds pods that no kubelet will run. */
export const SCHEDULED = [...CONTROL_PLANE, 'kube-scheduler'] as const

let plane: Promise<ControlPlane> | undefined

/**
 * Gives an API server with nothing in it, with the controller manager and other controllers, and a scheduler if asked to. Files of one process
 * have the same etcd and API server one after another; each has controllers of its own.
 */
export async function startCluster(
  options: { scheduler?: boolean; controllers?: readonly string[] } = {},
): Promise<Cluster> {
  plane ??= ControlPlane.start()
  const control = await plane
  await control.startControllers(options)
  const folder = mkdtempSync(join(control.folder, 'file-'))
  copyFileSync(join(control.folder, 'kubeconfig'), join(folder, 'kubeconfig'))
  symlinkSync(join(control.folder, 'certs'), join(folder, 'certs'))
  const kubectl = (args: readonly string[], input = '') =>
    run('kubectl', [`--kubeconfig=${join(folder, 'kubeconfig')}`, `--cache-dir=${join(folder, 'cache')}`, ...args], {
      input,
    })
  const stop = async () => {
    await control.stopControllers()
    if (SHARED) await control.reset()
    else {
      plane = undefined
      await control.stop()
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  return {
    folder,
    base: control.folder,
    kubectl,
    apiServer: control.apiServer,
    etcd: control.etcd,
    keep: () => control.keep(),
    stop,
  }
}
