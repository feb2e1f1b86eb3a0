//! The body of a good answer, taken past the SDK's deserializer.

use std::mem;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use aws_sdk_dynamodb::config::interceptors::BeforeDeserializationInterceptorContextMut;
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_smithy_types::body::SdkBody;
use bytes::Bytes;
use http_body::{Body, Frame};

/// Keeps the body as the service wrote it; the SDK, which would make a map of values of each item, sees `{}`
/// in its place. Answers that are errors pass as they are.
#[derive(Debug, Clone, Default)]
pub(super) struct Aside(Arc<Mutex<Vec<u8>>>);

impl Aside {
    pub(super) fn take(&self) -> Vec<u8> {
        mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Intercept for Aside {
    fn name(&self) -> &'static str {
        "Aside"
    }

    fn modify_before_deserialization(
        &self,
        context: &mut BeforeDeserializationInterceptorContextMut<'_>,
        _components: &RuntimeComponents,
        _config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let response = context.response_mut();
        if response.status().is_success() {
            let inner = mem::replace(response.body_mut(), SdkBody::taken());
            let kept = Kept { inner, aside: self.clone(), told: false };
            *response.body_mut() = SdkBody::from_body_1_x(kept);
        }
        Ok(())
    }
}

/// A body whose bytes go aside; whoever reads it gets `{}` once it has come whole.
#[derive(Debug)]
struct Kept {
    inner: SdkBody,
    aside: Aside,
    told: bool,
}

impl Body for Kept {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        loop {
            match ready!(Pin::new(&mut self.inner).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => {
                        self.aside.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&data);
                    }
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None if self.told => return Poll::Ready(None),
                None => {
                    self.told = true;
                    return Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b"{}")))));
                }
            }
        }
    }
}
