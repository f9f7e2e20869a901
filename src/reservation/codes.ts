import { codesAbout, findingOf } from '../finding/index.ts'
import { POLICY_CODES } from '../policy/codes.ts'
import { SIZING_CODES } from '../sizing/codes.ts'
import { WORLD_CODES } from '../world/codes.ts'

/** Codes of the summary of an Order. */
const SUMMARY_CODES = codesAbout('Summary', {
  OrderSummary: {
    roles: ['summary', 'shown'],
    severity: 'info',
    meaning: 'The first result of an Order: its Tickets, nodes and objects, counted.',
    mend: '',
  },
  NodesNotEligible: {
    roles: ['shown'],
    severity: 'info',
    meaning: 'Nodes that get no Ticket of an Order, by one rule, with their count and first names.',
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
        'An Order says something that korder or Kubernetes would refuse, or that would leave its Tickets Pending for ever.',
      mend: 'Correct the field.',
    },
    OrderRetired: {
      severity: 'warning',
      meaning:
        'An Order is kept out of what is applied for the first time, since Tickets or other Orders are rendered from it. If it lives in the cluster, a tool that prunes it makes korder delete every Ticket with its label, the rendered ones too.',
      mend: 'If it is live, set spec.korder.orderLabel: false of a RenderConfig until it is gone, or delete it by hand with its Tickets orphaned before this is applied: docs/reservations.md. If it never was, there is nothing to do.',
    },
    OrderNameTooLong: {
      severity: 'warning',
      meaning: 'The name of an Order is no label value, so its Tickets do not carry the label korder.dev/order.',
      mend: 'Claim by the annotation korder.dev/ticket-group, or choose a shorter name.',
    },
    DialectMixed: {
      severity: 'error',
      meaning:
        'Orders of one package are written for different versions of korder’s API. Tickets of one dialect lose their times in a cluster of the other.',
      mend: 'Write them in one dialect, or set spec.korder.dialect of a RenderConfig to duration or window.',
    },
    NoEligibleNodes: {
      severity: 'error',
      allowable: true,
      meaning: 'No node is eligible for an Order, so that every reservation would go.',
      mend: 'Correct nodeSelector, affinity and tolerations of the Order; allow NoEligibleNodes where such nodes come later.',
    },
    NodeNameInvalid: {
      severity: 'error',
      meaning: 'The name of a node is not one that Kubernetes allows.',
      mend: 'Correct the inventory.',
    },
    NodeUidMissing: {
      severity: 'error',
      meaning: 'Tickets are to depend on the nodes’ uids, and the inventory does not say one.',
      mend: 'Write the inventory with nodefit inventory --uid, or set spec.korder.nodeIdentity to name.',
    },
    ScheduleNeverFires: {
      severity: 'error',
      meaning: 'The schedule of an Order has no fire time within years.',
      mend: 'Correct day and month of the schedule.',
    },
    ScheduleDiffers: {
      severity: 'warning',
      meaning:
        'The schedule means something else to korder than to cron, or korder would refuse it. nodefit follows cron.',
      mend: 'Use plain numbers, *, steps in minutes and hours, and only one of the two day fields.',
    },
    DurationBelowPeriod: {
      severity: 'warning',
      meaning: 'Tickets expire before the next fire time of their Order, which leaves a gap without reservation.',
      mend: 'Make the duration at least as long as the time between two fire times, or let what has ended be renewed: spec.korder.renewAfter of a RenderConfig.',
    },
    WindowClosed: {
      severity: 'info',
      meaning: 'A Scheduled Order has no Tickets now, since its duration has passed since the last fire time.',
      mend: '',
    },
    ReservationEnds: {
      severity: 'info',
      meaning:
        'Until when the Tickets of an Order hold. korder marks them Expired then, and applying them again does not bring them back; nothing tells a render that they have ended.',
      mend: 'Let a WorkloadSnapshot say what has ended, or set spec.korder.renewAfter of a RenderConfig; or give the Order a long duration: docs/reservations.md.',
    },
    ReservationEnded: {
      severity: 'warning',
      meaning:
        'Tickets have outlived their duration, and nothing makes them anew: in the cluster they are Expired and reserve nothing.',
      mend: 'Let a WorkloadSnapshot say what has ended, or set spec.korder.renewAfter of a RenderConfig; an Order that is meant to end can go: docs/reservations.md.',
    },
    LiveTicketsUnknown: {
      severity: 'info',
      meaning:
        'An Order is refreshed when its Tickets are claimed, and no WorkloadSnapshot says which are. None is refreshed.',
      mend: '',
    },
    LiveTicketInInput: {
      severity: 'error',
      meaning:
        'A Ticket with status or uid was exported from a cluster. Applying it again would write an old state back.',
      mend: 'Take it out of the package; live Tickets come in a WorkloadSnapshot.',
    },
    StartTimeIgnored: {
      severity: 'warning',
      meaning: 'No version of korder reads the start time of a Ticket: its reservation begins when it is applied.',
      mend: 'Use a Scheduled strategy for reservations that begin later.',
    },
    GuardianEvicted: {
      severity: 'warning',
      meaning:
        'A toleration with tolerationSeconds lets the guardian pod be evicted after that time; korder makes it anew, and so on.',
      mend: 'Remove tolerationSeconds.',
    },
    QuotaExceeded: {
      severity: 'error',
      allowable: true,
      meaning: 'The Orders and Tickets of the package exceed a Quota of it.',
      mend: 'Reserve less, or raise the Quota.',
    },
    QuotaNotEvaluated: {
      severity: 'warning',
      meaning: 'A part of a Quota cannot be held against the package.',
      mend: 'Use the scopes Cluster or NamespaceList, and limits without time windows.',
    },
    OrdersOverlap: {
      severity: 'info',
      meaning: 'Several Orders reserve on the same nodes; their requests add up.',
      mend: '',
    },
    RequestAboveAllocatable: {
      severity: 'warning',
      meaning:
        'A node cannot give what is reserved on it: the guardian pod waits, or fails. Counted are all Tickets of the package on that node, beside the agents that the same run puts there.',
      mend: 'Request less, or exclude the node.',
    },
    TicketDuplicated: {
      severity: 'warning',
      meaning: 'Tickets that nodefit did not render reserve on nodes that have a rendered Ticket, too.',
      mend: 'Remove them with that command once the rendered ones are Ready.',
    },
  }),
}

export const finding = findingOf(POLICY_CODES, WORLD_CODES, SIZING_CODES, RESERVATION_CODES)
