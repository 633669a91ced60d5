using System.Globalization;
using NumaSharp.Core.Memory;
using NumaSharp.Interop;

namespace NumaSharp.EventLoop;

/// <content>Busy polling: a property of the epoll instance, so it is set on every new one.</content>
public sealed partial class NumaEventLoop
{
    private readonly ClaimedFallback? _noBusyPoll;

    internal int EpollDescriptor => Volatile.Read(ref _epoll).Number;

    // Runs before the loop's first thread starts, or on the holder's thread: nothing else replaces the instance.
    private void SetBusyPoll()
    {
        var parameters = _options.EpollParameters;
        if (parameters is { BusyPollMicroseconds: 0, BusyPollBudget: 0, PreferBusyPoll: 0 })
        {
            return;
        }

        var result = _epoll.SetParameters(parameters);
        if (result.Succeeded)
        {
            _noBusyPoll?.End();
        }
        else
        {
            var why = result.Errno switch
            {
                Errno.ENOTTY => "it takes Linux 6.9",
                Errno.EOPNOTSUPP => "the kernel was built without CONFIG_NET_RX_BUSY_POLL",
                Errno.EPERM => "a budget of more than 64 packets needs CAP_NET_ADMIN",
                _ => "see ioctl_eventpoll(2)",
            };
            _noBusyPoll?.Tell(string.Create(
                CultureInfo.InvariantCulture,
                $"Busy polling by event loops (EPIOCSPARAMS: {parameters.BusyPollMicroseconds} us, "
                + $"budget {parameters.BusyPollBudget}, preferred {parameters.PreferBusyPoll}) was refused "
                + $"({result.ErrorName}: {why}). They wait without it."));
        }
    }
}
