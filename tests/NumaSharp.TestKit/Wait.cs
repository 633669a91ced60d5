using System.Diagnostics;
using System.Runtime.CompilerServices;
using ThreadState = System.Threading.ThreadState;

namespace NumaSharp.TestKit;

/// <summary>
/// Waits for what other threads and processes do. A wait ends as soon as its condition holds; the limit only ends a test that
/// would hang, and then the message has every thread's stack. It is long enough for a machine that is busy with other work.
/// </summary>
public static class Wait
{
    /// <summary>After this long a wait fails.</summary>
    public static readonly TimeSpan Limit = TimeSpan.FromSeconds(120);

    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(5);

    /// <summary>Waits until the condition holds, for conditions that nothing announces.</summary>
    /// <param name="condition">Is asked again and again; what it throws ends the wait.</param>
    /// <param name="state">What is the case instead, for the message.</param>
    /// <param name="what">The condition's text.</param>
    public static void Until(
        Func<bool> condition, Func<string>? state = null, [CallerArgumentExpression(nameof(condition))] string what = "")
    {
        ArgumentNullException.ThrowIfNull(condition);
        var start = Stopwatch.GetTimestamp();
        var spinner = default(SpinWait);
        while (!condition())
        {
            ThrowIfLate(start, what, state);
            spinner.SpinOnce();
        }
    }

    /// <inheritdoc cref="Until"/>
    public static async Task UntilAsync(
        Func<bool> condition, Func<string>? state = null, [CallerArgumentExpression(nameof(condition))] string what = "")
    {
        ArgumentNullException.ThrowIfNull(condition);
        var start = Stopwatch.GetTimestamp();
        while (!condition())
        {
            ThrowIfLate(start, what, state);
            await Task.Delay(s_interval, TestContext.Current.CancellationToken);
        }
    }

    /// <inheritdoc cref="Until"/>
    public static async Task UntilAsync(
        Func<Task<bool>> condition, Func<string>? state = null, [CallerArgumentExpression(nameof(condition))] string what = "")
    {
        ArgumentNullException.ThrowIfNull(condition);
        var start = Stopwatch.GetTimestamp();
        while (!await condition())
        {
            ThrowIfLate(start, what, state);
            await Task.Delay(s_interval, TestContext.Current.CancellationToken);
        }
    }

    /// <summary>As <see cref="Until"/>, after a collection and all finalizers each time.</summary>
    public static void UntilCollected(
        Func<bool> condition, Func<string>? state = null, [CallerArgumentExpression(nameof(condition))] string what = "")
    {
        ArgumentNullException.ThrowIfNull(condition);
        Until(() => Collect() && condition(), state, what);
    }

    /// <inheritdoc cref="UntilCollected"/>
    /// <remarks>
    /// For asynchronous tests: they may resume on top of the frames of a method that they awaited, which keep its objects alive
    /// for as long as the test does not return.
    /// </remarks>
    public static Task UntilCollectedAsync(
        Func<bool> condition, Func<string>? state = null, [CallerArgumentExpression(nameof(condition))] string what = "")
    {
        ArgumentNullException.ThrowIfNull(condition);
        return UntilAsync(() => Collect() && condition(), state, what);
    }

    /// <summary>
    /// Waits until the thread blocks: on a lock, an event, or a sleep. Fails if it ends instead. A pause would not do: on a busy
    /// machine the thread may not even have begun after it.
    /// </summary>
    /// <param name="thread">A thread that has been started.</param>
    /// <param name="outcome">What the thread's work came to, for the message.</param>
    /// <param name="what">The thread's text.</param>
    public static void UntilBlocked(
        Thread thread, Func<string>? outcome = null, [CallerArgumentExpression(nameof(thread))] string what = "")
    {
        ArgumentNullException.ThrowIfNull(thread);
        Until(() => (thread.ThreadState & ThreadState.WaitSleepJoin) != 0 || !thread.IsAlive, what: $"{what} blocks");
        Assert.True(thread.IsAlive, $"{what} has not blocked but ended: {outcome?.Invoke()}");
    }

    /// <summary>Blocks until it is set.</summary>
    public static void For(WaitHandle handle, [CallerArgumentExpression(nameof(handle))] string what = "")
    {
        ArgumentNullException.ThrowIfNull(handle);
        FailUnless(handle.WaitOne(Limit), what);
    }

    /// <summary>Blocks until it has been released once more, and takes that.</summary>
    public static void For(SemaphoreSlim semaphore, [CallerArgumentExpression(nameof(semaphore))] string what = "")
    {
        ArgumentNullException.ThrowIfNull(semaphore);
        FailUnless(semaphore.Wait(Limit), what);
    }

    /// <summary>Blocks until it is set.</summary>
    public static void For(ManualResetEventSlim signal, [CallerArgumentExpression(nameof(signal))] string what = "")
    {
        ArgumentNullException.ThrowIfNull(signal);
        FailUnless(signal.Wait(Limit), what);
    }

    /// <summary>Blocks until it has counted down.</summary>
    public static void For(CountdownEvent countdown, [CallerArgumentExpression(nameof(countdown))] string what = "")
    {
        ArgumentNullException.ThrowIfNull(countdown);
        if (!countdown.Wait(Limit))
        {
            Fail($"{what} ({countdown.CurrentCount} left)");
        }
    }

    /// <summary>
    /// Blocks until it has counted down, with the limit's length again and again for as long as it counts.
    /// </summary>
    public static void WhileItCounts(CountdownEvent countdown, [CallerArgumentExpression(nameof(countdown))] string what = "")
    {
        ArgumentNullException.ThrowIfNull(countdown);
        for (var left = countdown.CurrentCount; !countdown.Wait(Limit);)
        {
            var now = countdown.CurrentCount;
            FailUnless(now < left, $"{what} ({now} left)");
            left = now;
        }
    }

    /// <summary>Blocks until the thread has ended.</summary>
    public static void For(Thread thread, [CallerArgumentExpression(nameof(thread))] string what = "")
    {
        ArgumentNullException.ThrowIfNull(thread);
        FailUnless(thread.Join(Limit), what);
    }

    /// <summary>
    /// Blocks until the thread has ended, with the limit's length again and again for as long as the wait may go on.
    /// </summary>
    public static void For(
        Thread thread, Func<bool> mayGoOn, [CallerArgumentExpression(nameof(thread))] string what = "")
    {
        ArgumentNullException.ThrowIfNull(thread);
        ArgumentNullException.ThrowIfNull(mayGoOn);
        while (!thread.Join(Limit))
        {
            FailUnless(mayGoOn(), what);
        }
    }

    /// <summary>Blocks until the task has ended; throws what it threw.</summary>
    public static void For(Task task, [CallerArgumentExpression(nameof(task))] string what = "")
    {
        ArgumentNullException.ThrowIfNull(task);
        FailUnless(((IAsyncResult)task).AsyncWaitHandle.WaitOne(Limit), what);
        task.GetAwaiter().GetResult();
    }

    /// <summary>Blocks until the task has ended.</summary>
    /// <returns>Its result.</returns>
    public static T For<T>(Task<T> task, [CallerArgumentExpression(nameof(task))] string what = "")
    {
        For((Task)task, what);
        return task.GetAwaiter().GetResult();
    }

    /// <summary>Ends with the task, or fails when that takes too long.</summary>
    public static async Task Within(this Task task, [CallerArgumentExpression(nameof(task))] string what = "")
    {
        ArgumentNullException.ThrowIfNull(task);
        if (await Task.WhenAny(task, Task.Delay(Limit)) != task)
        {
            Fail(what);
        }

        await task;
    }

    /// <inheritdoc cref="Within(Task, string)"/>
    public static async Task<T> Within<T>(this Task<T> task, [CallerArgumentExpression(nameof(task))] string what = "")
    {
        await Within((Task)task, what);
        return await task;
    }

    /// <inheritdoc cref="Within(Task, string)"/>
    public static Task Within(this ValueTask task, [CallerArgumentExpression(nameof(task))] string what = "") =>
        task.AsTask().Within(what);

    /// <inheritdoc cref="Within(Task, string)"/>
    public static Task<T> Within<T>(this ValueTask<T> task, [CallerArgumentExpression(nameof(task))] string what = "") =>
        task.AsTask().Within(what);

    /// <summary>Ends when the token is cancelled, for example a connection's ConnectionClosed.</summary>
    public static async Task Within(this CancellationToken token, [CallerArgumentExpression(nameof(token))] string what = "")
    {
        var fired = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using (token.Register(fired.SetResult))
        {
            await fired.Task.Within(what);
        }
    }

    private static bool Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return true;
    }

    private static void ThrowIfLate(long start, string what, Func<string>? state)
    {
        if (Stopwatch.GetElapsedTime(start) > Limit)
        {
            Fail(state is null ? what : $"{what}; {state()}");
        }
    }

    private static void FailUnless(bool isSet, string what)
    {
        if (!isSet)
        {
            Fail(what);
        }
    }

    private static void Fail(string what) =>
        throw new TimeoutException($"Waited {Limit.TotalSeconds} s for: {what}\n{ThreadStacks.Capture()}");
}
