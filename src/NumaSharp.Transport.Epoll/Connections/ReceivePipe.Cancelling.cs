using System.IO.Pipelines;

namespace NumaSharp.Transport.Epoll.Connections;

/// <content>
/// Cancelled reads. A Pipe that is read ahead gives what it has with the cancellation. Here that is in the kernel's buffer, and
/// is received first: whoever cancels the read of an idle connection in order to end it, as Kestrel does when it stops, would
/// throw a request away otherwise.
/// </content>
internal sealed unsafe partial class ReceivePipe
{
    private bool _cancelRequested;

    public override void CancelPendingRead()
    {
        lock (_lock)
        {
            _cancelRequested = true;
            if (_state != ReadState.Waiting)
            {
                // The next read takes it, or the work item that is on its way.
                return;
            }

            _state = ReadState.Dispatched;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    private bool TryTakeCancellation()
    {
        AssertLocked();
        if (!_cancelRequested)
        {
            return false;
        }

        _cancelRequested = false;
        ReceiveAhead();
        return true;
    }

    // What is there waits for the next read, as with a Pipe.
    private void OnTokenCanceled()
    {
        lock (_lock)
        {
            if (_state != ReadState.Waiting || !_wait.TryNoteToken())
            {
                return;
            }

            _state = ReadState.Idle;
        }

        DeliverElsewhere();
    }
}
