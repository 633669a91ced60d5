using System.Runtime.InteropServices;

namespace NumaSharp.EventLoop;

/// <summary>
/// The handlers of a loop by slot. Written under its lock from any thread, read without one by the loop. An event carries slot
/// and generation, so one that was fetched before its descriptor was closed never reaches a successor in the same slot.
/// </summary>
internal sealed class HandlerTable
{
    public const int WakeSlot = 0;

    private readonly Lock _lock = new();
    private readonly Stack<int> _free = new();
    private EventLoopHandler?[] _handlers = new EventLoopHandler?[256];
    private uint _generation;
    private int _next = WakeSlot + 1;

    public int Count { get; private set; }

    public ulong Add(EventLoopHandler handler, SafeHandle descriptor, uint interest)
    {
        lock (_lock)
        {
            if (handler.Slot != 0)
            {
                throw new InvalidOperationException("The handler is registered already.");
            }

            var slot = _free.TryPop(out var free) ? free : _next++;
            if (slot == _handlers.Length)
            {
                var larger = _handlers;
                Array.Resize(ref larger, slot * 2);
                Volatile.Write(ref _handlers, larger);
            }

            handler.Slot = slot;
            handler.Generation = ++_generation;
            handler.Descriptor = descriptor;
            handler.Interest = interest;
            Volatile.Write(ref _handlers[slot], handler);
            Count++;
            return ToData(handler);
        }
    }

    /// <returns>Whether it was registered.</returns>
    public bool Remove(EventLoopHandler handler)
    {
        lock (_lock)
        {
            if (handler.Slot == 0)
            {
                return false;
            }

            Volatile.Write(ref _handlers[handler.Slot], null);
            _free.Push(handler.Slot);
            handler.Slot = 0;
            handler.Descriptor = null;
            Count--;
            return true;
        }
    }

    /// <summary>Changes the events that a handler is watched for.</summary>
    public ulong Change(EventLoopHandler handler, uint interest) =>
        TryChange(handler, interest, out var data)
            ? data
            : throw new InvalidOperationException("The handler is not registered.");

    /// <inheritdoc cref="Change"/>
    /// <returns>Whether it is registered.</returns>
    public bool TryChange(EventLoopHandler handler, uint interest, out ulong data)
    {
        lock (_lock)
        {
            if (handler.Slot == 0)
            {
                data = 0;
                return false;
            }

            handler.Interest = interest;
            data = ToData(handler);
            return true;
        }
    }

    /// <summary>All current registrations.</summary>
    public Registration[] Snapshot()
    {
        lock (_lock)
        {
            return
            [
                .. _handlers.OfType<EventLoopHandler>()
                    .Select(static handler => new Registration(handler, handler.Descriptor!, handler.Interest, ToData(handler))),
            ];
        }
    }

    public EventLoopHandler? Find(ulong data)
    {
        var handlers = Volatile.Read(ref _handlers);
        var slot = (int)(uint)data;
        var handler = (uint)slot < (uint)handlers.Length ? Volatile.Read(ref handlers[slot]) : null;
        return handler is not null && handler.Generation == (uint)(data >> 32) ? handler : null;
    }

    /// <summary>One entry, for a new epoll instance.</summary>
    internal readonly record struct Registration(EventLoopHandler Handler, SafeHandle Descriptor, uint Interest, ulong Data);

    private static ulong ToData(EventLoopHandler handler) => (uint)handler.Slot | ((ulong)handler.Generation << 32);
}
