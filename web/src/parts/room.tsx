import type { ReactElement, ReactNode } from 'react'

interface RoomProps {
  readonly title: ReactNode
  /** Below the title. */
  readonly about?: ReactNode
  /** Next to the title: actions on all of the content. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A room that scrolls by itself, with its name on top. */
export function Room({ title, about, actions, children }: RoomProps): ReactElement {
  return (
    <div className="mx-auto max-w-5xl px-4 py-5 sm:px-8 sm:py-7">
      <header className="flex flex-wrap items-end gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          <h1 className="break-words font-semibold text-2xl leading-tight">{title}</h1>
          {about && <div className="mt-1 text-muted text-sm">{about}</div>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      <div className="mt-6">{children}</div>
    </div>
  )
}
