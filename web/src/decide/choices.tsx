import type { ReactElement } from 'react'
import { Button } from '../parts/button.tsx'
import { Visible } from '../text/visible.tsx'
import { answerWay, formIdOf } from './answer-way.ts'
import type { Bar } from './bar.ts'

/** A button for each choice: side by side if they are few and short, and below one another if not. */
export function Choices({ bar }: { readonly bar: Bar }): ReactElement {
  const isFew = answerWay(bar.hold) === 'few-choices'
  const look = isFew ? '' : 'w-full justify-start text-left'
  return (
    <fieldset
      id={formIdOf(bar.hold)}
      className={isFew ? 'flex min-w-0 flex-wrap gap-2' : 'grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2'}
    >
      <legend className="mb-1.5 font-medium text-sm">Choose the answer</legend>
      {(bar.hold.choices ?? []).map(choice => (
        <Button
          key={choice}
          look="primary"
          dir="auto"
          wraps
          className={look}
          disabled={bar.isWaiting}
          busy={bar.deciding.isBusy}
          onClick={() => bar.choose({ verdict: 'respond', value: choice })}
        >
          <span className="min-w-0">
            <Visible text={choice} />
          </span>
        </Button>
      ))}
    </fieldset>
  )
}
