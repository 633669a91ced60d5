using System.Runtime.ExceptionServices;

namespace NumaSharp.Core;

/// <summary>
/// While one is open on a thread, what <see cref="NumaFallbacks"/> announce there waits for its end: handlers are the
/// application's, and must not run under a lock, or in the middle of what they may want to use. Opened before the first lock,
/// disposed of after the last one is released.
/// </summary>
internal readonly ref struct HeldAnnouncements
{
    [ThreadStatic]
    private static int t_open;

    [ThreadStatic]
    private static List<Announcement>? t_waiting;

    private readonly bool _isOpen;

    private HeldAnnouncements(bool isOpen) => _isOpen = isOpen;

    public static HeldAnnouncements Begin()
    {
        t_open++;
        return new HeldAnnouncements(isOpen: true);
    }

    /// <summary>Raises an event for its handlers, now or at the end of what holds announcements back.</summary>
    public static void Announce(Action<NumaFallback>? handlers, NumaFallback fallback)
    {
        if (handlers is null)
        {
            return;
        }

        if (t_open == 0)
        {
            handlers(fallback);
        }
        else
        {
            (t_waiting ??= []).Add(new Announcement(handlers, fallback));
        }
    }

    /// <summary>Announces what has waited, all of it, if this one is the outermost.</summary>
    /// <exception cref="Exception">What a handler has thrown; an <see cref="AggregateException"/> if several have.</exception>
    public void Dispose()
    {
        if (_isOpen && --t_open == 0 && t_waiting is { } waiting)
        {
            t_waiting = null;
            AnnounceAll(waiting);
        }
    }

    private static void AnnounceAll(List<Announcement> waiting)
    {
        List<Exception>? thrown = null;
        foreach (var (handlers, fallback) in waiting)
        {
            try
            {
                handlers(fallback);
            }
            catch (Exception exception)
            {
                // Thrown again below: the next announcement is not this handler's to keep back.
                (thrown ??= []).Add(exception);
            }
        }

        if (thrown is [var only])
        {
            ExceptionDispatchInfo.Throw(only);
        }

        if (thrown is not null)
        {
            throw new AggregateException(thrown);
        }
    }

    private readonly record struct Announcement(Action<NumaFallback> Handlers, NumaFallback Fallback);
}
