import { type ReactElement, useRef, useState } from 'react'
import { mayRunAgents, useMe } from '../api/session.ts'
import { useVerbs } from '../keys/use-verbs.ts'
import { Button } from '../parts/button.tsx'
import { SpawnDialog } from './dialogs/spawn-dialog.tsx'

interface ToolsProps {
  readonly words: string
  readonly onWords: (words: string) => void
}

/** Above the list: what it shows, and the way to another agent. */
export function ListTools({ words, onWords }: ToolsProps): ReactElement {
  const field = useRef<HTMLInputElement>(null)
  const [isStarting, start] = useState(false)
  const isAllowed = mayRunAgents(useMe())
  useVerbs({ filter: () => field.current?.focus(), ...(isAllowed && { new: () => start(true) }) })
  return (
    <div className="flex gap-1.5 border-line border-b p-3">
      <search className="min-w-0 flex-1">
        <input
          ref={field}
          type="search"
          aria-label="Filter the agents"
          placeholder="Filter"
          value={words}
          onChange={({ target }) => onWords(target.value)}
          className="min-h-11 w-full rounded-lg border border-line bg-sunken px-3 placeholder:text-muted sm:min-h-10"
        />
      </search>
      {isAllowed && <Button onClick={() => start(true)}>New agent</Button>}
      {isStarting && <SpawnDialog onClose={() => start(false)} />}
    </div>
  )
}
