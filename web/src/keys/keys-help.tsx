import { type ReactElement, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActions } from '../parts/dialog.tsx'
import { KEYS } from './keys.ts'
import { useKeyboard, useVerbs } from './use-verbs.ts'

const NAMES: Readonly<Record<string, string>> = { Escape: 'Esc' }

/** Listens to the keys of the page, and shows a list of them. */
export function Keys(): ReactElement | null {
  const [isShown, setShown] = useState(false)
  useKeyboard()
  useVerbs({ help: () => setShown(true) })
  if (!isShown) return null
  const close = () => setShown(false)
  return (
    <Dialog title="Keys" onClose={close}>
      <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-4 gap-y-2 text-sm">
        {KEYS.map(({ key, does }) => (
          <div key={key} className="contents">
            <dt>
              <Key name={NAMES[key] ?? key} />
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-4 text-muted text-sm">
        No key decides while you type, in the first moment of a card, or before its end was in view.
      </p>
      <DialogActions>
        <Button onClick={close}>Close</Button>
      </DialogActions>
    </Dialog>
  )
}

export function Key({ name }: { readonly name: string }): ReactElement {
  return (
    <kbd className="inline-grid min-w-6 place-items-center rounded border border-line bg-sunken px-1.5 py-0.5 font-mono text-xs">
      {name}
    </kbd>
  )
}
