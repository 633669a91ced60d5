using System.Collections;
using System.Collections.Concurrent;
using NumaSharp.Core;

namespace NumaSharp.TestKit;

/// <summary>
/// What callbacks and handlers of the library were called with. They are called by its <see cref="Outbox"/>: reading this waits
/// for calls that are on their way.
/// </summary>
public sealed class CallLog<T> : IReadOnlyList<T>
{
    private readonly ConcurrentQueue<T> _items = new();

    public int Count => Items.Length;

    private T[] Items
    {
        get
        {
            Callbacks.Wait();
            return [.. _items];
        }
    }

    public T this[int index] => Items[index];

    public void Add(T item) => _items.Enqueue(item);

    public IEnumerator<T> GetEnumerator() => ((IEnumerable<T>)Items).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
