import { WORLD_CODES } from '../../core/codes.ts'
import { POLICY_CODES } from '../../kinds/codes.ts'
import { codesAbout, findingOf } from '../../krm/finding.ts'
import { SIZING_CODES } from '../sizing/codes.ts'

/** Codes of the summary of an Order. */
const SUMMARY_CODES = codesAbout('Summary', {
  OrderSummary: {
    roles: ['summary'],
    severity: 'info',
    meaning: 'The first result of an Order: counts its Tickets, nodes and objects.',
    mend: '',
  },
  NodesNotEligible: {
    roles: ['shown'],
    severity: 'info',
    meaning: 'Nodes that get no Ticket of an Order, one finding a rule.',
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
        'An Order is no longer applied. Where it is live, pruning it makes korder delete every Ticket with its label; the rendered ones go without it.',
      mend: 'Let a tool prune an Order that exists in the cluster: korder deletes the Tickets that it made, the rendered ones stay. Once it is gone, or if it was never applied, set spec.korder.orderLabel: true of a RenderConfig if workloads claim by that label: docs/korder/reservations.md#an-order-that-was-live-before.',
    },
    OrderGivenBack: {
      severity: 'warning',
      meaning:
        'An Order that leaves DaemonSet mode asks for fewer Tickets than nodes have now: spec.replicas, which no DaemonSet mode reads, is 1 where nobody set it. The other nodes lose their reservation.',
      mend: 'Write the number of nodes into the spec of the Order, as below, if each is to stay reserved.',
    },
    OrderLabelLeftOff: {
      roles: ['shown'],
      severity: 'info',
      meaning:
        'An Order is given to a host that shows no earlier output, so nothing tells whether its Tickets had the label korder.dev/order. They are rendered without it: workloads that claim by the Order find none.',
      mend: 'Set spec.korder.orderLabel of a RenderConfig: true if workloads claim by the label and the Order is not in the cluster, else false: docs/korder/reservations.md#an-order-that-was-live-before.',
    },
    OrderKeepsTickets: {
      severity: 'warning',
      meaning: 'Size or replicas of a plain Order change, but korder leaves its Tickets as they are until they expire.',
      mend: 'Wait until they expire. Or delete the Order and apply it again: nothing is reserved in between. Do not delete the Tickets alone: korder names new ones by their count, and stops at a name in use. With daemonSet: true each change replaces Tickets: docs/korder/reservations.md#sized-per-node-group.',
    },
    OrderNameTooLong: {
      severity: 'warning',
      meaning: 'An Order’s name is no label value, so its Tickets lack the label korder.dev/order.',
      mend: 'Claim by the annotation korder.dev/ticket-group, or use a name of at most 63 characters.',
    },
    DialectMixed: {
      severity: 'error',
      meaning:
        'Orders of a package are written for different versions of korder’s API. A cluster runs one, and drops the times of Tickets for the other.',
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
      meaning: 'A node’s name is not a valid Kubernetes name.',
      mend: 'Correct the inventory.',
    },
    NodeUidMissing: {
      severity: 'error',
      meaning: 'A Ticket’s name depends on the uid of its node, which the inventory lacks.',
      mend: 'Write the inventory with nodefit inventory --uid, or set spec.korder.nodeIdentity to name.',
    },
    ScheduleNeverFires: {
      severity: 'error',
      meaning: 'The schedule of an Order does not fire for years.',
      mend: 'Correct the day and month of the schedule.',
    },
    ScheduleDiffers: {
      severity: 'warning',
      meaning: 'A schedule means something else to korder than to cron, which nodefit follows, or korder rejects it.',
      mend: 'Use plain numbers, *, steps in the minute and hour fields, and at most one of the two day fields.',
    },
    DurationBelowPeriod: {
      severity: 'warning',
      meaning: 'Tickets expire before the next fire time: nothing is reserved in between.',
      mend: 'Make the duration at least the time between two fire times; or set spec.korder.renewAfter of a RenderConfig.',
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
        'Until when the Tickets of an Order that is paused, or whose refreshPolicy is Never, reserve. Then they are Expired; applying them again does not reactivate them.',
      mend: '',
    },
    ReservationLapses: {
      severity: 'warning',
      meaning:
        'Until when the Tickets of an Order with another refreshPolicy reserve, where nothing tells a run that they have ended. Then they are Expired; applying them again does not reactivate them.',
      mend: 'Choose. Permanent: duration: 87600h and refreshPolicy: Never. Renewed: export the Tickets for each run (nodefit inventory --tickets, or nodefit sync with collect), or set spec.korder.renewAfter of a RenderConfig. See docs/korder/reservations.md.',
    },
    ReservationEnded: {
      severity: 'warning',
      meaning:
        'Tickets are older than their duration, no WorkloadSnapshot shows them, and nothing else renews them: they are Expired.',
      mend: 'Export the Tickets for each run (nodefit inventory --tickets, or nodefit sync with collect), or set spec.korder.renewAfter of a RenderConfig; delete an Order that is meant to end: docs/korder/reservations.md.',
    },
    TicketsHeldBack: {
      roles: ['shown'],
      severity: 'info',
      meaning:
        'Tickets are not replaced in this render, because rollout.maxNodes nodes of their Order have new ones within rollout.every. A later render replaces them.',
      mend: 'Render again at the time named, with a newer inventory or spec.now of a RenderConfig; or raise spec.korder.rollout.maxNodes.',
    },
    RolloutTooSlow: {
      severity: 'warning',
      meaning:
        'The rollout of Tickets replaces too few to renew each before it ends: Tickets have ended and wait, or will.',
      mend: 'Raise spec.korder.rollout.maxNodes of the RenderConfig, render at least once within every, or set a longer duration.',
    },
    LiveTicketsUnknown: {
      roles: ['shown'],
      severity: 'info',
      meaning: 'An Order refreshes its claimed Tickets, and no WorkloadSnapshot shows which are: none is refreshed.',
      mend: 'Add a WorkloadSnapshot of the cluster to the package.',
    },
    LiveTicketsAmbiguous: {
      severity: 'warning',
      meaning:
        'An Order has no namespace, and a WorkloadSnapshot shows its Tickets in several: one that has ended in the right namespace may not be renewed.',
      mend: 'Set metadata.namespace of the Order to the namespace of its Tickets, and delete the others.',
    },
    TicketsLive: {
      roles: ['shown'],
      severity: 'info',
      meaning: 'Counts an Order’s Tickets in a WorkloadSnapshot by phase; Pending until the guardian pod runs.',
      mend: '',
    },
    TicketsPending: {
      severity: 'warning',
      meaning:
        'The guardian pods of Tickets have not run for five minutes: nothing is reserved. korder does not retry where it could not create one.',
      mend: 'Use a namespace that enforces pod security baseline: restricted refuses guardian pods. Raise a ResourceQuota that refuses them. Where the pod exists its node has no room: request less, or set a priorityClassName. Then delete the Tickets with the command; the next apply makes them again: docs/korder/reservations.md#when-tickets-stay-pending.',
    },
    ClaimReservedTwice: {
      severity: 'warning',
      meaning:
        'A claimed Ticket is renewed, replaced or removed while its pod still uses the room, which is reserved a second time.',
      mend: 'Set spec.korder.claimed: keep of a RenderConfig. Let pods that run for weeks claim from an Order with duration: 87600h and refreshPolicy: Never: docs/korder/reservations.md#claimed-tickets.',
    },
    ReservedByOthers: {
      severity: 'warning',
      meaning:
        'Tickets that this package does not render reserve on nodes where its own do: of a live Order, of another package, or of an earlier render.',
      mend: 'If a live Order made them that nodefit renders now, delete it: docs/korder/reservations.md#an-order-that-was-live-before. If an earlier render made them, let your tool prune them, and export the Tickets again. If both are meant, set spec.severity of a RenderConfig.',
    },
    LiveTicketInInput: {
      severity: 'error',
      meaning: 'A Ticket with status or uid was exported from a cluster: applied, it would restore an old state.',
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
        'A toleration with tolerationSeconds lets the guardian pod, and each one that korder creates after it, be evicted after that time.',
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
        'Nodes with Tickets have labels of an autoscaler. cluster-autoscaler removes no node with a guardian pod. Karpenter removes none as empty, but as underutilized: it does not read that the pod is bound to its node.',
      mend: 'For cluster-autoscaler give the Order a priorityClassName whose value is below --expendable-pods-priority-cutoff, -10 by default. For Karpenter set consolidationPolicy: WhenEmpty of the NodePool to keep the nodes, or keep nodes that may be removed out of the Order by nodeSelector: docs/korder/reservations.md#autoscalers.',
    },
    RequestAboveAllocatable: {
      severity: 'warning',
      meaning:
        'More is reserved on a node than its allocatable: the guardian pod stays Pending or fails. All Tickets and agents of package and WorkloadSnapshot count.',
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
