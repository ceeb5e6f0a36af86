import type { ReactElement } from 'react'
import { isReachable } from '../api/connection.ts'
import { useShared } from '../api/shared-value.ts'

export function OfflineBanner(): ReactElement {
  const reachable = useShared(isReachable)
  return (
    <div role="status" className="shrink-0">
      {!reachable && (
        <p className="border-line border-b bg-warn-soft px-4 py-2 text-center text-sm text-warn">
          The server cannot be reached. You see what was last known; decisions wait for the network.
        </p>
      )}
    </div>
  )
}
