import { Component, type ReactElement, type ReactNode } from 'react'
import { isReachable } from '../api/connection.ts'
import { useShared } from '../api/shared-value.ts'
import { Button } from '../parts/button.tsx'
import { MissingPartError } from './missing-part-error.ts'

interface GuardProps {
  /** The path of the page: another one is tried anew. */
  readonly at: string
  readonly children: ReactNode
}

interface GuardState {
  readonly at: string
  readonly thrown: unknown
}

/** Says what is wrong in place of a room that cannot be drawn. The frame around it stays, and leads elsewhere. */
export class Guard extends Component<GuardProps, GuardState> {
  override state: GuardState = { at: this.props.at, thrown: null }

  static getDerivedStateFromError(thrown: unknown): Partial<GuardState> {
    return { thrown }
  }

  /** A room that is drawn stays as it is from path to path, with its scroll, its cursor and what is typed. */
  static getDerivedStateFromProps({ at }: GuardProps, state: GuardState): GuardState | null {
    return at === state.at ? null : { at, thrown: null }
  }

  override render(): ReactNode {
    const { thrown } = this.state
    return thrown === null ? this.props.children : <Broken thrown={thrown} />
  }
}

/** It never reloads by itself: what a person has written may not be kept anywhere else. */
function Broken({ thrown }: { readonly thrown: unknown }): ReactElement {
  const reachable = useShared(isReachable)
  const { title, text } = wordsOf(thrown, reachable)
  return (
    <div role="alert" className="mx-auto grid h-full max-w-md place-content-center p-8 text-center">
      <h1 className="font-medium">{title}</h1>
      <p className="mt-1 text-muted text-sm">{text}</p>
      <Button look="primary" className="mt-4 justify-self-center" onClick={() => location.reload()}>
        Reload
      </Button>
    </div>
  )
}

function wordsOf(thrown: unknown, reachable: boolean): { readonly title: string; readonly text: string } {
  if (!(thrown instanceof MissingPartError))
    return {
      title: 'This cannot be shown',
      text: `The page has a fault here: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    }
  return reachable
    ? { title: 'This page is out of date', text: 'The server has another version of it by now. Reload to go on.' }
    : {
        title: 'The server cannot be reached',
        text: 'This part of the page was not loaded yet. Reload once it is back.',
      }
}
