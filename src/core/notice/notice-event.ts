/** Why a notice is sent: about a hold, or about a run that waits for the provider of its model for longer than a minute. */
export type NoticeEvent = HoldNoticeEvent | typeof WAITS_FOR_MODEL

export const WAITS_FOR_MODEL = 'waits_for_model'

/** Why a notice about a hold is sent. */
export type HoldNoticeEvent =
  /** These ask a person to decide. */
  | 'opened'
  | 'reminded'
  | 'escalated'
  | 'assigned'
  /** These answer a person who tried to decide: the words were not understood, or the decision did not count. */
  | 'unclear'
  | 'refused'
  /** These inform subscribed programs of the later course. */
  | 'voted'
  | 'decided'
  | 'expired'
  | 'withdrawn'
  /** The call that the decision released has ended. Its approvers hear of a failure where a channel is set up for it. */
  | 'ended'

/** Events that ask a person to decide: many of them may become one message. */
export const ASKING_EVENTS: readonly NoticeEvent[] = ['opened', 'reminded', 'escalated', 'assigned']

/** Events for which a person may choose channels. */
export const WANTED_EVENTS: readonly NoticeEvent[] = [...ASKING_EVENTS, WAITS_FOR_MODEL]

/** The channels by their key in `notify.channels`. `push` is open without one: browsers subscribe to it. */
export type ChannelKind = 'webhook' | 'command' | 'slack' | 'mail' | 'github' | 'push'
