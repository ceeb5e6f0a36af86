import { type ReactElement, useState } from 'react'
import { GOES_ON, NOTIFIES, SOUNDS, useSetting } from '../api/setting.ts'
import { Alert } from '../parts/states.tsx'
import { sound } from './calls.ts'
import { refusalOfBrowser } from './notifications.ts'

/** What this browser does by itself. The browser asks for its permission only when a person switches this on. */
export function ChoicesOfBrowser(): ReactElement {
  const [goesOn, notifies, sounds] = [useSetting(GOES_ON), useSetting(NOTIFIES), useSetting(SOUNDS)]
  const [trouble, setTrouble] = useState<string | null>(null)
  const notify = async (isOn: boolean) => {
    const refusal = isOn ? await refusalOfBrowser() : null
    setTrouble(refusal)
    NOTIFIES.set(isOn && refusal === null)
    if (refusal !== null) return
    const { subscribeToPushes, unsubscribeFromPushes } = await import('./pushes.ts')
    setTrouble(isOn ? await subscribeToPushes() : await unsubscribeFromPushes().then(() => null))
  }
  return (
    <fieldset className="mt-4 grid gap-1">
      <legend className="font-medium text-muted text-xs">In this browser</legend>
      <Choice name="After a decision, open the next one" isOn={goesOn} onChange={GOES_ON.set} />
      <Choice name="Notify me when something waits" isOn={notifies} onChange={isOn => void notify(isOn)} />
      <Choice
        name="With a sound"
        isOn={sounds}
        onChange={isOn => {
          SOUNDS.set(isOn)
          if (isOn) sound()
        }}
      />
      <Alert text={trouble} />
    </fieldset>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

function Choice({ name, isOn, onChange }: ChoiceProps): ReactElement {
  return (
    <label className="flex min-h-10 items-center gap-2.5 text-sm">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ target }) => onChange(target.checked)}
        className="size-4.5 shrink-0 accent-accent"
      />
      {name}
    </label>
  )
}
