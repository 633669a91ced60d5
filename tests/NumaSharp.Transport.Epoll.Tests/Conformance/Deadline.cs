using System.Runtime.CompilerServices;

namespace NumaSharp.Transport.Epoll.Tests.Conformance;

/// <summary>A wait that never ends fails with a text that says what it waited for.</summary>
internal static class Deadline
{
    public static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    public static async Task Within(this Task task, [CallerArgumentExpression(nameof(task))] string what = "")
    {
        if (await Task.WhenAny(task, Task.Delay(Limit)) != task)
        {
            throw new TimeoutException($"Did not end within {Limit.TotalSeconds} s: {what}");
        }

        await task;
    }

    public static async Task<T> Within<T>(this Task<T> task, [CallerArgumentExpression(nameof(task))] string what = "")
    {
        await Within((Task)task, what);
        return await task;
    }

    public static Task<T> Within<T>(this ValueTask<T> task, [CallerArgumentExpression(nameof(task))] string what = "") =>
        Within(task.AsTask(), what);

    public static Task Within(this ValueTask task, [CallerArgumentExpression(nameof(task))] string what = "") =>
        Within(task.AsTask(), what);

    /// <summary>Waits for a token, for example ConnectionClosed.</summary>
    public static async Task Within(this CancellationToken token, [CallerArgumentExpression(nameof(token))] string what = "")
    {
        var fired = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using (token.Register(fired.SetResult))
        {
            await fired.Task.Within(what);
        }
    }
}
