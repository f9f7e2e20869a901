/** What is told of Tickets and Orders, whoever says it. */
const RESERVATION = ['FailedScheduling', 'FailedCreate', 'Evicted', 'Preempted']

/**
 * The reasons that say something of sizes and reservations, by the kind of the object that an Event is about: those of the scheduler, of the
 * DaemonSet controller, of the kubelet when it admits or evicts a pod or runs out of memory, and of node-problem-detector.
 */
export const REASONS: Readonly<Record<string, readonly string[]>> = {
  DaemonSet: ['FailedCreate', 'FailedDaemonPod', 'FailedPlacement'],
  Pod: [
    'FailedScheduling',
    'Evicted',
    'Preempted',
    'OOMKilling',
    'OutOfcpu',
    'OutOfmemory',
    'OutOfpods',
    'OutOfephemeral-storage',
  ],
  Ticket: RESERVATION,
  Order: RESERVATION,
  Node: ['SystemOOM', 'OOMKilling', 'EvictionThresholdMet'],
}
