import type { ReactElement } from 'react'
import type { HoldView } from '../api/documents.ts'
import { isOperator, useMe } from '../api/session.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { answerWay, formIdOf } from './answer-way.ts'
import type { Bar, DialogName } from './bar.ts'

interface ButtonsProps {
  readonly bar: Bar
  /** Also the choices that are made less often. */
  readonly hasAll: boolean
}

/** The verdicts that this person may give here, each by its name. */
export function DecideButtons({ bar, hasAll }: ButtonsProps): ReactElement | null {
  const { editing, panel, hold } = bar
  if (panel === 'reject') return null
  if (editing.isOpen) return <EditButtons bar={bar} />
  if (hold.kind === 'in_doubt' && panel === 'answer') return <SendAnswer bar={bar} />
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SendAnswer bar={bar} />
      <Approve bar={bar} />
      {hold.kind === 'in_doubt' && bar.may('respond') && (
        <Button onClick={() => bar.show('answer')}>It happened…</Button>
      )}
      {bar.may('edit') && (
        <Button onClick={editing.open} disabled={bar.deciding.isBusy} className="max-sm:flex-1">
          <Icon name="pen" /> Edit
        </Button>
      )}
      {bar.may('reject') && (
        <Button
          look={hold.kind === 'approval' ? 'bad' : 'plain'}
          onClick={() => bar.show('reject')}
          disabled={bar.deciding.isBusy}
          className="max-sm:flex-1"
        >
          {hold.kind === 'approval' && <Icon name="cross" />} {NO_WORDS[hold.kind]}
        </Button>
      )}
      <span className="hidden flex-1 sm:block" />
      {hasAll && <More bar={bar} />}
    </div>
  )
}

/** It sends what was written in the bar, or the form in the card, and is in view as long as there is one. */
function SendAnswer({ bar }: { readonly bar: Bar }): ReactElement | null {
  const { hold, panel, isWaiting, deciding } = bar
  const way = answerWay(hold)
  if (panel !== 'answer' || !bar.may('respond') || way === 'few-choices' || way === 'many-choices') return null
  return (
    <>
      <Button
        look="primary"
        type="submit"
        form={formIdOf(hold)}
        disabled={isWaiting}
        busy={deciding.isBusy}
        className="max-sm:w-full"
      >
        {isWaiting ? 'Waits for the network' : 'Send the answer'}
      </Button>
      {hold.kind === 'in_doubt' && (
        <Button onClick={() => bar.show(null)} className="max-sm:flex-1">
          Back
        </Button>
      )}
    </>
  )
}

/** The less frequent actions. On a phone they are a step away from the thumb. */
function More({ bar }: { readonly bar: Bar }): ReactElement {
  const { hold, may, open } = bar
  const mayCancelRun = isOperator(useMe())
  const choices: readonly (readonly [DialogName, string])[] = [
    ...(may('approve') && hold.kind === 'approval' ? ([['always', 'Always allow…']] as const) : []),
    ['assign', 'Ask another person…'],
    ['cancel', mayCancelRun ? 'Cancel the call or the run…' : 'Cancel the call…'],
  ]
  return (
    <>
      <Button look="quiet" popoverTarget="more-choices" aria-label="More choices" className="px-3">
        <Icon name="more" className="size-5" />
      </Button>
      <div
        id="more-choices"
        popover="auto"
        className="fixed inset-auto right-4 bottom-20 max-h-[calc(100dvh-6rem)] w-60 overflow-y-auto overscroll-contain max-sm:bottom-36 max-sm:max-h-[calc(100dvh-10rem)] rounded-xl border border-line bg-card p-1.5 text-text shadow-float sm:right-8"
      >
        {choices.map(([name, words]) => (
          <button
            key={name}
            type="button"
            popoverTarget="more-choices"
            popoverTargetAction="hide"
            onClick={() => open(name)}
            className="block min-h-11 w-full rounded-lg px-3 text-left text-sm hover:bg-hover"
          >
            {words}
          </button>
        ))}
      </div>
    </>
  )
}

const NO_WORDS: Readonly<Record<HoldView['kind'], string>> = {
  approval: 'Reject…',
  question: 'Decline…',
  input: 'Reject…',
  client_tool: 'Refuse…',
  in_doubt: 'It failed…',
}

const YES_WORDS: Readonly<Record<HoldView['kind'], string>> = {
  approval: 'Approve',
  question: 'Approve',
  input: 'Accept as final',
  client_tool: 'Approve',
  in_doubt: 'Run it again…',
}

function Approve({ bar }: { readonly bar: Bar }): ReactElement | null {
  const { hold, isWaiting, deciding } = bar
  if (!bar.may('approve')) return null
  return (
    <Button
      look={hold.kind === 'approval' ? 'good' : 'plain'}
      onClick={() => bar.choose({ verdict: 'approve' })}
      disabled={isWaiting}
      busy={deciding.isBusy}
      className="max-sm:w-full sm:min-w-32"
    >
      {hold.kind === 'approval' && <Icon name="check" />}
      {isWaiting ? 'Waits for the network' : YES_WORDS[hold.kind]}
    </Button>
  )
}

function EditButtons({ bar }: { readonly bar: Bar }): ReactElement {
  const { hold, editing, isWaiting, deciding } = bar
  const isSame = JSON.stringify(editing.value) === JSON.stringify(hold.arguments)
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button
        look="good"
        onClick={() => bar.choose({ verdict: 'edit', arguments: editing.value })}
        disabled={isWaiting || editing.isFaulty || isSame}
        busy={deciding.isBusy}
        className="max-sm:w-full"
      >
        <Icon name="check" /> {isWaiting ? 'Waits for the network' : 'Approve with these changes'}
      </Button>
      <Button onClick={editing.close}>Back</Button>
      {!isSame && (
        <Button look="quiet" onClick={editing.drop}>
          Discard the changes
        </Button>
      )}
    </div>
  )
}
