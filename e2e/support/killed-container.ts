/** Pods of kwok whose containers are killed. */

// biome-ignore lint/suspicious/noExplicitAny: a pod, read back
type Pod = any

/**
 * Returns the arguments by which kubectl says of a pod what a kubelet says when the kernel has killed its container for
 * want of memory: it runs again, after so many restarts.
 */
export function killArguments({ metadata: { name, namespace }, spec }: Pod, restartCount: number): string[] {
  const finishedAt = new Date(Math.floor(Date.now() / 1000) * 1000).toISOString()
  const status = {
    ...{ name: spec.containers[0].name, image: 'x', imageID: 'x', ready: true, restartCount },
    state: { running: { startedAt: finishedAt } },
    lastState: { terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt } },
  }
  const patch = JSON.stringify({ status: { containerStatuses: [status] } })
  return ['patch', 'pod', name, '-n', namespace, '--subresource=status', '--type=strategic', '-p', patch]
}
