using System.IO.Pipelines;

namespace NumaSharp.Transport.Epoll.Connections;

/// <content>
/// Cancelled reads. A Pipe that reads ahead returns its buffered bytes with the cancellation. Here those bytes are still in the
/// kernel's buffer, so they are received first: otherwise cancelling the read of an idle connection to end it, as Kestrel does on
/// shutdown, would discard a request.
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
                // The next read, or the work item already queued, takes it.
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

    // Available bytes wait for the next read, as with a Pipe.
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
