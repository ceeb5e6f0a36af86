import { type ReactElement, type ReactNode, useEffect, useId, useRef } from 'react'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** The platform's own: it keeps the focus inside, and Esc closes it. A sheet from below on a phone. */
export function Dialog({ title, onClose, children }: DialogProps): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault()
        onClose()
      }}
      className="m-auto max-h-[85dvh] w-full max-w-lg overflow-y-auto rounded-2xl border border-line bg-card p-5 text-text shadow-float max-sm:mb-0 max-sm:max-w-none max-sm:rounded-b-none sm:p-6"
    >
      <h2 id={id} className="font-semibold text-lg">
        {title}
      </h2>
      <div className="mt-3">{children}</div>
    </dialog>
  )
}

/** The buttons of a dialog. The button that acts is last, near the thumb. */
export function DialogActions({ children }: { readonly children: ReactNode }): ReactElement {
  return <div className="mt-6 flex flex-wrap justify-end gap-2">{children}</div>
}
