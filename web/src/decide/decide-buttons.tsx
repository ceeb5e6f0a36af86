import type { ReactElement } from 'react'
import type { HoldView } from '../api/documents.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import type { Bar } from './bar.ts'

/** The verdicts that this person may give here, each by its name. */
export function DecideButtons({ bar }: { readonly bar: Bar }): ReactElement | null {
  const { editing, panel, hold } = bar
  if (panel === 'reject') return null
  if (editing.isOpen) return <EditButtons bar={bar} />
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Approve bar={bar} />
      {hold.kind === 'in_doubt' && bar.may('respond') && panel !== 'answer' && (
        <Button onClick={() => bar.show('answer')}>It happened…</Button>
      )}
      {bar.may('edit') && (
        <Button onClick={editing.open} disabled={bar.deciding.isBusy} className="max-sm:flex-1">
          <Icon name="pen" /> Edit
        </Button>
      )}
      {bar.may('reject') && (
        <Button look="bad" onClick={() => bar.show('reject')} disabled={bar.deciding.isBusy} className="max-sm:flex-1">
          <Icon name="cross" /> {NO_WORDS[hold.kind]}
        </Button>
      )}
      <span className="hidden flex-1 sm:block" />
      {bar.may('approve') && hold.kind === 'approval' && (
        <Button look="quiet" onClick={() => bar.open('always')} className="max-sm:flex-1">
          <Icon name="infinity" /> Always…
        </Button>
      )}
      <Button look="quiet" onClick={() => bar.open('assign')} className="max-sm:flex-1">
        <Icon name="people" /> Assign…
      </Button>
      <Button look="quiet" onClick={() => bar.open('cancel')} className="max-sm:flex-1">
        Cancel…
      </Button>
    </div>
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
