import type { EventSink } from '../../ports/event-sink.ts'
import type { Runtime } from '../../ports/runtime.ts'
import type { ThreadFeed } from './thread-feed.ts'

/**
 * The sink of `runtime`, and the followers after it. Ephemeral events reach the followers of this process through
 * `feed`, and those of other processes through the live channel. Durable ones reach them from the journal.
 */
export function followersToo({ tell, live }: Runtime, feed: ThreadFeed): EventSink {
  return event => {
    tell(event)
    // The checkpoint before an inference is a durable event, so the first piece finds the channel ready.
    if (!('ephemeral' in event)) return live?.expect()
    feed.publish(event)
    live?.publish(event)
  }
}
