import { codesAbout, findingOf } from '../finding/index.ts'
import { POLICY_CODES } from '../policy/codes.ts'
import { SIZING_CODES } from '../sizing/codes.ts'
import { WORLD_CODES } from '../world/codes.ts'

/** Codes of the summary of an Order. */
const SUMMARY_CODES = codesAbout('Summary', {
  OrderSummary: {
    roles: ['summary', 'shown'],
    severity: 'info',
    meaning: 'The first result of an Order: counts its Tickets, nodes and objects.',
    mend: '',
  },
  NodesNotEligible: {
    roles: ['shown'],
    severity: 'info',
    meaning: 'Nodes that get no Ticket of an Order, one finding a rule, with number and first names.',
    mend: '',
  },
})

/** Codes about Orders, Tickets and Quotas. */
export const RESERVATION_CODES = {
  ...SUMMARY_CODES,
  ...codesAbout('Reservations', {
    OrderInvalid: {
      severity: 'error',
      meaning:
        'A field of an Order has a value that korder or Kubernetes rejects, or that leaves its Tickets Pending forever.',
      mend: 'Correct the field.',
    },
    OrderRetired: {
      severity: 'warning',
      meaning:
        'An Order is no longer applied, since nodefit renders Tickets or other Orders from it. Where it exists in the cluster, pruning it makes korder delete every Ticket with its label; the rendered ones go without it.',
      mend: 'Let a tool prune an Order that exists in the cluster: korder deletes the Tickets that it made, the rendered ones stay. Once it is gone, or if it was never applied, set spec.korder.orderLabel: true of a RenderConfig if workloads claim by that label: docs/korder/reservations.md#an-order-that-was-live-before.',
    },
    OrderKeepsTickets: {
      severity: 'warning',
      meaning:
        'The size or the replicas of a plain Order change, but korder leaves its Tickets as they are until they expire: of the old size, or more than replicas.',
      mend: 'Wait until they expire. Or delete the Order and apply it again: korder deletes its Tickets and makes new ones, with nothing reserved in between. Do not delete the Tickets alone: korder names new ones by their count, and stops at a name in use. With daemonSet: true each change replaces Tickets: docs/korder/reservations.md#sized-per-node-group.',
    },
    OrderNameTooLong: {
      severity: 'warning',
      meaning: 'An Order’s name is no valid label value, so its Tickets lack the label korder.dev/order.',
      mend: 'Claim by the annotation korder.dev/ticket-group, or use a name of at most 63 characters.',
    },
    DialectMixed: {
      severity: 'error',
      meaning:
        'Orders of a package are written for different versions of korder’s API. A cluster runs one, and drops the times of Tickets written for the other.',
      mend: 'Write all Orders in one dialect, or set spec.korder.dialect of a RenderConfig to duration or window.',
    },
    NoEligibleNodes: {
      severity: 'error',
      allowable: true,
      meaning: 'No node is eligible for an Order: all its reservations would be removed.',
      mend: 'Correct nodeSelector, affinity and tolerations of the Order; or allow NoEligibleNodes if nodes are added later.',
    },
    NodeNameInvalid: {
      severity: 'error',
      meaning: 'The name of a node is not a valid Kubernetes name.',
      mend: 'Correct the inventory.',
    },
    NodeUidMissing: {
      severity: 'error',
      meaning: 'The name of a Ticket depends on the uid of its node, which the inventory lacks.',
      mend: 'Write the inventory with nodefit inventory --uid, or set spec.korder.nodeIdentity to name.',
    },
    ScheduleNeverFires: {
      severity: 'error',
      meaning: 'The schedule of an Order does not fire for years.',
      mend: 'Correct the day and month of the schedule.',
    },
    ScheduleDiffers: {
      severity: 'warning',
      meaning: 'A schedule has another meaning for korder than for cron, which nodefit follows, or korder rejects it.',
      mend: 'Use plain numbers, *, steps in the minute and hour fields, and at most one of the two day fields.',
    },
    DurationBelowPeriod: {
      severity: 'warning',
      meaning: 'Tickets expire before the next fire time of their Order: nothing is reserved in between.',
      mend: 'Make the duration at least the time between two fire times; or set spec.korder.renewAfter of a RenderConfig, which renews Tickets that have ended.',
    },
    WindowClosed: {
      roles: ['shown'],
      severity: 'info',
      meaning: 'A Scheduled Order has no Tickets now: its duration has passed since the last fire time.',
      mend: '',
    },
    ReservationEnds: {
      roles: ['shown'],
      severity: 'info',
      meaning:
        'Until when the Tickets reserve of an Order that is paused, or whose refreshPolicy is Never. korder then marks them Expired; applying them again does not reactivate them.',
      mend: '',
    },
    ReservationLapses: {
      severity: 'warning',
      meaning:
        'Until when the Tickets of an Order reserve whose policy renews them, where nothing tells a run that they have ended. korder then marks them Expired; applying them again does not reactivate them.',
      mend: 'Choose. Permanent: duration: 87600h and refreshPolicy: Never. Renewed: export the Tickets for each run (nodefit inventory --tickets, or nodefit sync with collect), or set spec.korder.renewAfter of a RenderConfig. See docs/korder/reservations.md.',
    },
    ReservationEnded: {
      severity: 'warning',
      meaning:
        'Tickets are older than their duration, no WorkloadSnapshot shows them, and nothing else renews them: in the cluster they are Expired.',
      mend: 'Export the Tickets for each run (nodefit inventory --tickets, or nodefit sync with collect), or set spec.korder.renewAfter of a RenderConfig; delete an Order that is meant to end: docs/korder/reservations.md.',
    },
    TicketsHeldBack: {
      roles: ['shown'],
      severity: 'info',
      meaning:
        'Tickets stay as they are in this render, though they would be replaced, because rollout.maxNodes nodes of their Order have new ones within rollout.every. A later render replaces them.',
      mend: 'Render again at the time named, with a newer inventory or with spec.now of a RenderConfig; or raise spec.korder.rollout.maxNodes of the RenderConfig.',
    },
    RolloutTooSlow: {
      severity: 'warning',
      meaning:
        'The rollout of Tickets replaces too few of them to renew each before it ends, or no run was in time: Tickets have ended and wait, or will.',
      mend: 'Raise spec.korder.rollout.maxNodes of the RenderConfig, render at least once within every, or set a longer duration.',
    },
    LiveTicketsUnknown: {
      roles: ['shown'],
      severity: 'info',
      meaning:
        'An Order refreshes its Tickets once they are claimed, and no WorkloadSnapshot shows which are: none is refreshed.',
      mend: 'Add a WorkloadSnapshot of the cluster to the package.',
    },
    LiveTicketsAmbiguous: {
      severity: 'warning',
      meaning:
        'An Order has no namespace, and a WorkloadSnapshot shows its Tickets in several. The one that reserves longest counts: a Ticket that has ended in the right namespace may not be renewed.',
      mend: 'Set metadata.namespace of the Order to the namespace of its Tickets, and delete the others.',
    },
    TicketsLive: {
      roles: ['shown'],
      severity: 'info',
      meaning:
        'Counts an Order’s Tickets in the cluster, by a WorkloadSnapshot: Reserved, Claimed, Pending (until the guardian pod runs), Expired, and rendered before but not seen.',
      mend: '',
    },
    TicketsPending: {
      severity: 'warning',
      meaning:
        'Tickets reserve nothing: their guardian pods have not run for five minutes. korder does not retry where it could not create a pod.',
      mend: 'Pod security restricted refuses guardian pods, which have no securityContext: use a namespace that enforces baseline. Raise a ResourceQuota that refuses them. Where the pod exists its node has no room: request less, or set a priorityClassName. Then delete the Tickets; the next apply makes them again: docs/korder/reservations.md#when-tickets-stay-pending.',
    },
    ClaimReservedTwice: {
      severity: 'warning',
      meaning:
        'A claimed Ticket is renewed, replaced or removed while its pod still uses the room, which is reserved a second time: at the Ticket’s end, when its Order changes, or after its node was not ready.',
      mend: 'Set spec.korder.claimed: keep of a RenderConfig, which keeps a claimed Ticket until its pod is gone. Let pods that run for weeks claim from an Order with duration: 87600h and refreshPolicy: Never, not from one of 24h: docs/korder/reservations.md#claimed-tickets.',
    },
    ReservedByOthers: {
      severity: 'warning',
      meaning: 'Tickets in the cluster that this package did not render reserve on nodes where its own do.',
      mend: 'If an Order made them that nodefit renders now, delete that Order: docs/korder/reservations.md#an-order-that-was-live-before. If both are meant, set spec.severity of a RenderConfig for ReservedByOthers.',
    },
    LiveTicketInInput: {
      severity: 'error',
      meaning: 'A Ticket with status or uid was exported from a cluster: applied, it would write an old state back.',
      mend: 'Remove it from the package; a WorkloadSnapshot holds live Tickets.',
    },
    StartTimeIgnored: {
      severity: 'warning',
      meaning: 'No version of korder reads a Ticket’s start time: it reserves once applied.',
      mend: 'Use the Scheduled strategy for a reservation that begins later.',
    },
    GuardianEvicted: {
      severity: 'warning',
      meaning:
        'A toleration with tolerationSeconds lets the guardian pod be evicted after that time, and so each one that korder creates after it.',
      mend: 'Remove tolerationSeconds.',
    },
    QuotaExceeded: {
      severity: 'error',
      allowable: true,
      meaning: 'The Orders and Tickets of the package exceed one of its Quotas.',
      mend: 'Reserve less, or raise the Quota.',
    },
    QuotaNotEvaluated: {
      severity: 'warning',
      meaning: 'A part of a Quota cannot be compared with the package.',
      mend: 'Use the scopes Cluster or NamespaceList, and limits without time windows.',
    },
    OrdersOverlap: {
      roles: ['shown'],
      severity: 'info',
      meaning: 'Several Orders reserve on the same nodes, and their requests add up.',
      mend: '',
    },
    GuardiansHoldNodes: {
      roles: ['shown'],
      severity: 'info',
      meaning:
        'Nodes with Tickets have labels of an autoscaler, which does not remove a node with a guardian pod: it is owned by a Ticket and bound to its node.',
      mend: 'For cluster-autoscaler give the Order a priorityClassName whose value is below --expendable-pods-priority-cutoff, -10 by default; --skip-nodes-with-custom-controller-pods=false alone does not help, as the pod can go to no other node. Karpenter has no such setting: keep nodes that may be removed out of the Order by nodeSelector: docs/korder/reservations.md#autoscalers.',
    },
    RequestAboveAllocatable: {
      severity: 'warning',
      meaning:
        'More is reserved on a node than its allocatable: the guardian pod stays Pending or fails. Counted are all Tickets of the package there, the agents of this run, DaemonSets of the package, and agents that a WorkloadSnapshot shows.',
      mend: 'Request less, or exclude the node.',
    },
    TicketDuplicated: {
      severity: 'warning',
      meaning: 'Tickets that nodefit did not render reserve on nodes with a rendered Ticket.',
      mend: 'Delete them with the command once the rendered Tickets are Ready.',
    },
  }),
}

export const finding = findingOf(POLICY_CODES, WORLD_CODES, SIZING_CODES, RESERVATION_CODES)
