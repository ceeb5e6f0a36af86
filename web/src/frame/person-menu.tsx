import { type ReactElement, useRef, useState } from 'react'
import { signOut, useMe } from '../api/session.ts'
import { Button } from '../parts/button.tsx'
import { ChoicesOfBrowser } from './choices-of-browser.tsx'
import { chooseTheme, chosenTheme, type Theme } from './theme.ts'

const THEMES: Readonly<Record<Theme, string>> = { system: 'As the system', light: 'Light', dark: 'Dark' }

/** In whose name the page decides, how it looks, and the way out. */
export function PersonMenu(): ReactElement {
  const me = useMe()
  const menu = useRef<HTMLDivElement>(null)
  return (
    <>
      <button
        type="button"
        popoverTarget="person-menu"
        className="flex min-h-10 shrink-0 items-center gap-2 rounded-lg px-2 text-sm hover:bg-hover"
      >
        <span
          aria-hidden="true"
          className="grid size-7 place-items-center rounded-full bg-accent-soft font-semibold text-accent text-xs uppercase"
        >
          {me?.name.slice(0, 2) ?? '…'}
        </span>
        <span className="sr-only">You are </span>
        <span className="max-w-40 truncate max-sm:sr-only">{me?.name ?? 'not known yet'}</span>
      </button>
      <div
        id="person-menu"
        ref={menu}
        popover="auto"
        className="fixed inset-auto top-13 right-3 max-h-[calc(100dvh-4rem)] w-72 overflow-y-auto overscroll-contain rounded-xl border border-line bg-card p-4 text-text shadow-float"
      >
        <p className="truncate font-medium">{me?.name}</p>
        <p className="text-muted text-sm">{me?.role}</p>
        <Appearance />
        <ChoicesOfBrowser />
        <Button className="mt-4 w-full" onClick={() => void signOut({ everywhere: false })}>
          Sign out
        </Button>
        <Button look="quiet" className="mt-1 w-full" onClick={() => void signOut({ everywhere: true })}>
          Sign out everywhere
        </Button>
      </div>
    </>
  )
}

function Appearance(): ReactElement {
  const [theme, setTheme] = useState(chosenTheme)
  const choose = (chosen: Theme) => {
    chooseTheme(chosen)
    setTheme(chosen)
  }
  return (
    <fieldset className="mt-4">
      <legend className="font-medium text-muted text-xs">Appearance</legend>
      <div className="mt-1.5 flex rounded-lg bg-sunken p-1">
        {(Object.keys(THEMES) as Theme[]).map(each => (
          <button
            key={each}
            type="button"
            aria-pressed={each === theme}
            onClick={() => choose(each)}
            className="min-h-9 flex-auto rounded-md px-2 text-muted text-xs aria-pressed:bg-card aria-pressed:font-medium aria-pressed:text-text aria-pressed:shadow-card"
          >
            {THEMES[each]}
          </button>
        ))}
      </div>
    </fieldset>
  )
}
