import type { Deliveries } from '../../src/ports/deliveries.js';
import type { Store } from '../../src/ports/store.js';
import type { OpenedStore } from './sqlite-store.js';

/** After `die`, nothing the old process does reaches the disk any more, and nothing answers it. */
export function mortal({ store, deliveries }: OpenedStore): OpenedStore & { die: () => void } {
  let isDead = false;
  const never = new Promise<never>(() => {});
  const handler: ProxyHandler<Store & Deliveries> = {
    get: (target, name) => {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function' || name === 'onChange') return value;
      return (...args: unknown[]) => (isDead ? never : Reflect.apply(value, target, args));
    },
  };
  return {
    store: new Proxy(store, handler as ProxyHandler<Store>),
    deliveries: new Proxy(deliveries, handler as ProxyHandler<Deliveries>),
    die: () => {
      isDead = true;
    },
  };
}
