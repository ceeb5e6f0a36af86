import { type ReactElement, type ReactNode, type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { Live } from '../live/use-live.ts'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/states.tsx'
import { Prose } from '../text/prose.tsx'
import { conversationOf, type Entry, type Message } from './conversation.ts'
import { MessageView } from './message-view.tsx'

interface MessagesProps {
  readonly messages: readonly Message[]
  readonly live: Live
  /** Above them: it scrolls away with them. */
  readonly children: ReactNode
}

/** The messages, the newest in view, and the message that is being written. */
export function Messages({ messages, live, children }: MessagesProps): ReactElement {
  const entries = useMemo(() => conversationOf(messages), [messages])
  const box = useEndInView()
  const { from, showEarlier } = useNewest(entries.length, box)
  return (
    <div ref={box} className="relative min-h-0 flex-1 overflow-y-auto overscroll-contain">
      <div className="mx-auto max-w-3xl px-4 py-5 sm:px-8">
        {children}
        {entries.length === 0 && <Empty title="Nothing was said yet" />}
        {from > 0 && (
          <Button className="mb-6 w-full" onClick={showEarlier}>
            Earlier messages: {from.toLocaleString('en')}
          </Button>
        )}
        <div role="log" aria-label="Conversation" className="flex flex-col gap-6">
          {entries.slice(from).map(entry => (
            <MessageView key={entry.message.id} entry={entry} output={outputFor(entry, live)} />
          ))}
          {live.text !== '' && (
            <div className="text-muted">
              <Prose text={live.text} />
            </div>
          )}
        </div>
      </div>
    </div>
  )
}

const NO_OUTPUT: Live['output'] = {}

/** The same object for all entries without output, so that they are not drawn again. */
function outputFor({ calls }: Entry, { output }: Live): Live['output'] {
  return calls.some(({ id, result }) => result === null && Object.hasOwn(output, id)) ? output : NO_OUTPUT
}

/** More of them at once would make each key of the composer wait. */
const STEP = 200

/**
 * Shows the newest entries first, and the earlier ones step by step. The visible entries keep their place on the
 * screen.
 */
function useNewest(count: number, box: RefObject<HTMLDivElement | null>) {
  const [most, setMost] = useState(STEP)
  const height = useRef(0)
  const showEarlier = () => {
    height.current = box.current?.scrollHeight ?? 0
    setMost(known => known + STEP)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a step moves what is read
  useLayoutEffect(() => {
    const element = box.current
    if (element && height.current > 0) element.scrollTop += element.scrollHeight - height.current
  }, [most])
  return { from: Math.max(0, count - most), showEarlier }
}

/** A reader this near to the end wants to see new messages. */
const NEAR_PX = 120

/** The end stays in view for those who are there; others stay at their place. */
function useEndInView(): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = box.current
    const content = element?.firstElementChild
    if (!element || !content) return
    let isAtEnd = true
    const note = () => {
      isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX
    }
    const sizes = new ResizeObserver(() => {
      if (isAtEnd) element.scrollTop = element.scrollHeight
    })
    sizes.observe(content)
    sizes.observe(element)
    element.addEventListener('scroll', note, { passive: true })
    return () => {
      sizes.disconnect()
      element.removeEventListener('scroll', note)
    }
  }, [])
  return box
}
